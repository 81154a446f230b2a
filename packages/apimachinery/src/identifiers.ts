/** No vowels, nor digits that look like letters: no words come about. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const maxBaseLength = 63 - suffixLength

/** What `metadata.generateName` becomes. `random` gives numbers in [0, 1). */
export function generateName(base: string, random: () => number = Math.random): string {
  return base.slice(0, maxBaseLength) + randomSuffix(suffixLength, random)
}

/** Letters and digits that are safe in any name. */
export function randomSuffix(length: number, random: () => number = Math.random): string {
  let suffix = ''
  for (let i = 0; i < length; i++) suffix += alphabet[Math.floor(random() * alphabet.length)]
  return suffix
}

/** A random UUID, lower case. */
export function newUid(): string {
  return globalThis.crypto.randomUUID()
}
