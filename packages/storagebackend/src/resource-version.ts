import { newBadRequest, newUnknownError, quote } from '@keelson/apimachinery'
import type { Revision } from './backend.ts'

/** `resourceVersion` of a request: "" and "0" are 0. Undefined when it is not an unsigned integer that this server can have given out. */
export function parseResourceVersion(text: string | undefined): Revision | undefined {
  if (text === undefined || text === '' || text === '0') return 0
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > 0xffff_ffff_ffff_ffffn) return undefined
  // Beyond 2^53 it is in the future for sure, whatever it is rounded to.
  return Number(text)
}

/** Why `parseResourceVersion` refused, in the original's words. */
function complaintOf(text: string): string {
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  return `resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: ${why}`
}

/** For what the store itself reads: throws `ApiError` (BadRequest). */
export function requireResourceVersion(text: string | undefined): Revision {
  const revision = parseResourceVersion(text)
  if (text !== undefined && revision === undefined) throw newBadRequest(`invalid resource version: ${complaintOf(text)}`)
  return revision ?? 0
}

/** For watches, and for what is read from a cache, of which the original says it less well: throws `ApiError` (500, without a reason). */
export function requireKnownResourceVersion(text: string | undefined): Revision {
  const revision = parseResourceVersion(text)
  if (text !== undefined && revision === undefined) throw newUnknownError(complaintOf(text))
  return revision ?? 0
}
