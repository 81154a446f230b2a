import type { JsonValue } from '../meta.ts'
import { notPlain } from './not-plain.ts'
import { resolveScalar } from './resolve-scalar.ts'

const plain = /^(?:[\w./+]|-(?=[^ ]))[\w./+:@=,~$%() -]*$/

/** Parses a scalar that fills the rest of its line. Throws `notPlain` if the fast reader does not support it. */
export function readPlainScalar(text: string): JsonValue {
  const first = text.charCodeAt(0)
  if (first === quotationMark || first === apostrophe) {
    const { value, end } = readQuoted(text, 0)
    checkRest(text, end)
    return value
  }
  if (!plain.test(text) || text.includes(': ') || text.endsWith(':')) throw notPlain
  return resolvePlain(text)
}

/** Throws `notPlain` if something other than a comment follows the scalar. */
export function checkRest(text: string, end: number): void {
  if (end < text.length && !/^ +#/.test(text.slice(end))) throw notPlain
}

export function resolvePlain(text: string): JsonValue {
  const value = resolveScalar(text, '')
  if (typeof value === 'number' && !Number.isFinite(value)) throw notPlain
  return value as JsonValue
}

export const quotationMark = 0x22
export const apostrophe = 0x27
const double = /"([^"\\]*(?:\\["\\nt][^"\\]*)*)"/y
const single = /'([^']*(?:''[^']*)*)'/y
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' }

/** Parses a quoted string with the usual escapes. Throws `notPlain` for other escapes. */
export function readQuoted(text: string, at: number): { readonly value: string; readonly end: number } {
  const isDouble = text.charCodeAt(at) === quotationMark
  const pattern = isDouble ? double : single
  pattern.lastIndex = at
  const body = pattern.exec(text)?.[1]
  if (body === undefined) throw notPlain
  const end = pattern.lastIndex
  if (isDouble) {
    const value = body.includes('\\') ? body.replace(/\\(.)/g, (_, escaped: string) => escapes[escaped] ?? escaped) : body
    return { value, end }
  }
  return { value: body.includes("''") ? body.replaceAll("''", "'") : body, end }
}
