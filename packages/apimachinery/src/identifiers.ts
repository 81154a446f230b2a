/** Characters of generated names. Vowels are missing, so that names do not contain words. Digits that look like letters are missing too. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const maxBaseLength = 63 - suffixLength

/** Appends a random suffix to `metadata.generateName`. `random` returns numbers in [0, 1). */
export function generateName(base: string, random: () => number = Math.random): string {
  return base.slice(0, maxBaseLength) + generateSuffix(suffixLength, random)
}

/** Returns random lower-case letters and digits, which are valid in the name of any object. */
export function generateSuffix(length: number, random: () => number = Math.random): string {
  let suffix = ''
  for (let i = 0; i < length; i++) suffix += alphabet[Math.floor(random() * alphabet.length)]
  return suffix
}

/** Returns a random UUID in lower case. */
export function newUid(): string {
  return globalThis.crypto.randomUUID()
}
