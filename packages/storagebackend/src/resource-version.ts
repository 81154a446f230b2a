import { quote } from '@keelson/apimachinery'
import type { Revision } from './backend.ts'
import { StorageError } from './errors.ts'

/** The `resourceVersion` of a request: "" and "0" are 0. Undefined when it is not an unsigned integer of 64 bits. */
export function parseResourceVersion(text: string | undefined): Revision | undefined {
  if (text === undefined || text === '' || text === '0') return 0
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > 0xffff_ffff_ffff_ffffn) return undefined
  // Beyond 2^53 it is in the future for sure, however it is rounded.
  return Number(text)
}

/** Why `parseResourceVersion` refused it, in kube-apiserver's words. */
function refusalOf(text: string): string {
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  return `resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: ${why}`
}

/** For reads from the store itself. Throws `BadRequest`. */
export function requireResourceVersion(text: string | undefined): Revision {
  const revision = parseResourceVersion(text)
  if (revision !== undefined) return revision
  throw new StorageError({ code: 'BadRequest', key: '', message: `invalid resource version: ${refusalOf(text!)}` })
}

/** For watches and reads from a cache. Throws `UnparsableResourceVersion`: kube-apiserver answers 500 here, where a read from the store gives 400. */
export function requireParsableResourceVersion(text: string | undefined): Revision {
  const revision = parseResourceVersion(text)
  if (revision !== undefined) return revision
  throw new StorageError({ code: 'UnparsableResourceVersion', key: '', message: refusalOf(text!) })
}
