import { quote } from '@keelson/apimachinery'

/**
 * Checks an object's key, or the prefix of a list (`recursive`), and adds the final "/" to the latter, so that "/pods/foo" never lists
 * "/pods/foobar". Throws for a key with the steps "." or "..", or outside of the resource's prefix: names come from clients, and a bug in a layer
 * above must not reach the objects of another resource.
 */
export function prepareKey(prefix: string, key: string, recursive: boolean): string {
  if (hasDotStep(key)) throw new InvalidKeyError(`invalid key: ${quote(key)}`)
  if (key === '' || key === '/') throw new InvalidKeyError(`empty key: ${quote(key)}`)
  if (!key.isWellFormed()) throw new InvalidKeyError(`invalid key: ${quote(key)}`)
  const prepared = recursive && !key.endsWith('/') ? `${key}/` : key
  if (!prepared.startsWith(prefix)) {
    throw new InvalidKeyError(`invalid key: ${quote(key)} lacks resource prefix: ${quote(prefix)}`)
  }
  return prepared
}

function hasDotStep(key: string): boolean {
  // Few keys have a dot after a slash.
  if (!key.includes('/.') && !key.startsWith('.')) return false
  return hasPathStep(key, '..') || hasPathStep(key, '.')
}

function hasPathStep(key: string, step: string): boolean {
  return key === step || key.startsWith(`${step}/`) || key.endsWith(`/${step}`) || key.includes(`/${step}/`)
}

/** A bug in a layer above, or an attempt to leave the prefix. Never an expected error of a client. */
export class InvalidKeyError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidKeyError'
  }
}
