import { quote } from '@keelson/apimachinery'

/**
 * Checks an object's key, or the prefix of a list (`recursive`), and completes the latter with its "/", so that "/pods/foo" never
 * lists "/pods/foobar". A key that names its parent, or that lies outside the resource's own prefix, is refused: names come from
 * clients, and a mistake above this line must not reach another resource's objects.
 */
export function prepareKey(prefix: string, key: string, recursive: boolean): string {
  if (leavesItsPlace(key)) throw new InvalidKeyError(`invalid key: ${quote(key)}`)
  if (key === '' || key === '/') throw new InvalidKeyError(`empty key: ${quote(key)}`)
  if (!key.isWellFormed()) throw new InvalidKeyError(`invalid key: ${quote(key)}`)
  const prepared = recursive && !key.endsWith('/') ? `${key}/` : key
  if (!prepared.startsWith(prefix)) {
    throw new InvalidKeyError(`invalid key: ${quote(key)} lacks resource prefix: ${quote(prefix)}`)
  }
  return prepared
}

function leavesItsPlace(key: string): boolean {
  // Few keys have a dot there at all.
  if (!key.includes('/.') && !key.startsWith('.')) return false
  return hasPathStep(key, '..') || hasPathStep(key, '.')
}

function hasPathStep(key: string, step: string): boolean {
  return key === step || key.startsWith(`${step}/`) || key.endsWith(`/${step}`) || key.includes(`/${step}/`)
}

/** A bug above the storage, or an attempt to leave it: never a client's expected error. */
export class InvalidKeyError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidKeyError'
  }
}
