import { newBadRequest, quote } from '@keelson/apimachinery'
import type { Revision } from './backend.ts'

/** `resourceVersion` of a request: "" and "0" are 0. Undefined when it is not an unsigned integer that this server can have given out. */
export function parseResourceVersion(text: string | undefined): Revision | undefined {
  if (text === undefined || text === '' || text === '0') return 0
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > 0xffff_ffff_ffff_ffffn) return undefined
  // Beyond 2^53 it is in the future for sure, whatever it is rounded to.
  return Number(text)
}

/** Why `parseResourceVersion` refused, in the original's words. */
export function resourceVersionComplaint(text: string): string {
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  return `strconv.ParseUint: parsing ${quote(text)}: ${why}`
}

/** For reads: throws `ApiError` (BadRequest). */
export function requireResourceVersion(text: string | undefined): Revision {
  const revision = parseResourceVersion(text)
  if (text !== undefined && revision === undefined) {
    const complaint = resourceVersionComplaint(text)
    throw newBadRequest(`invalid resource version: resourceVersion: Invalid value: ${quote(text)}: ${complaint}`)
  }
  return revision ?? 0
}
