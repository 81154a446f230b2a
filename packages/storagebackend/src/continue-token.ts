import { goJson, parseJson, quote } from '@keelson/apimachinery'
import type { Revision } from './backend.ts'
import { StorageError } from './errors.ts'

/** The position in a list at which a continue token continues. */
export interface ContinuePosition {
  /** The smallest key that the next page may contain. */
  readonly start: string
  /** The revision of the list. -1 means that the list continues at the newest revision, because an earlier token has expired. */
  readonly revision: Revision
}

const version = 'meta.k8s.io/v1'

/**
 * Encodes a continue token: base64url of `{"v":"meta.k8s.io/v1","rv":223,"start":"c1\u0000"}` without padding. `start` in the token is the
 * smallest key of the next page, without the listed prefix.
 */
export function encodeContinue(start: string, prefix: string, revision: Revision): string {
  if (!start.startsWith(prefix) || start === prefix) throw new Error('the key of a continue token must be below the listed prefix')
  return Buffer.from(`{"v":"${version}","rv":${revision},"start":${goJson(start.slice(prefix.length))}}`).toString('base64url')
}

/** Decodes a continue token. Throws `InvalidContinueToken` with the error text for the client if the token is invalid. */
export function decodeContinue(token: string, prefix: string): ContinuePosition {
  const createInvalidError = (detail: string): StorageError =>
    new StorageError({ code: 'InvalidContinueToken', key: prefix, message: `invalid continue token: continue key is not valid${detail}` })

  const illegal = findIllegalBase64(token)
  if (illegal !== undefined) throw createInvalidError(`: illegal base64 data at input byte ${illegal}`)
  const bytes = Buffer.from(token, 'base64url')
  let parsed: unknown
  try {
    parsed = JSON.parse(bytes.toString())
  } catch {
    throw createInvalidError(`: ${describeJsonError(bytes)}`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw createInvalidError(': the token is not an object')
  const { v, rv, start } = parsed as { v?: unknown; rv?: unknown; start?: unknown }
  if (v !== version) throw createInvalidError(`: server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`)
  if (!Number.isSafeInteger(rv) || rv === 0) throw createInvalidError(`: incorrect encoded start resourceVersion (version ${version})`)
  if (typeof start !== 'string' || start === '') throw createInvalidError(`: encoded start key empty (version ${version})`)
  const rooted = start.startsWith('/') ? start : `/${start}`
  // A client may have edited the token, so it must not select keys outside of the prefix.
  if (!isCleanPath(rooted) || !start.isWellFormed()) throw createInvalidError(`: ${start}`)
  return { start: prefix + rooted.slice(1), revision: rv as number }
}

function isCleanPath(rooted: string): boolean {
  if (rooted === '/') return true
  return rooted
    .slice(1)
    .split('/')
    .every((step) => step !== '' && step !== '.' && step !== '..')
}

/** Returns the position of the first byte that is not valid unpadded base64url. Returns undefined if all bytes are valid. */
function findIllegalBase64(token: string): number | undefined {
  const invalidCharacter = /[^A-Za-z0-9_-]/.exec(token)
  if (invalidCharacter) return Buffer.byteLength(token.slice(0, invalidCharacter.index))
  return token.length % 4 === 1 ? token.length - 1 : undefined
}

/** Returns kube-apiserver's error text for a token that is not valid JSON. The text names the first byte if that byte is not ASCII. */
function describeJsonError(bytes: Uint8Array): string {
  const first = bytes.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)
  if (first !== undefined && first >= 0x80) {
    return `invalid character '${quote(String.fromCharCode(first)).slice(1, -1)}' looking for beginning of value`
  }
  try {
    parseJson(bytes)
  } catch (error) {
    return (error as Error).message
  }
  return 'unexpected end of JSON input'
}
