import { stringifyJson } from './encode-json.ts'
import type { JsonValue } from './meta.ts'
import { formatFloat } from './yaml/format-float.ts'

// Formats values like Go, for messages that clients see.

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}
const needsEscape = /[^ !#-[\]-~]/
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u

/** Quotes text like Go's `%q` (strconv.Quote). */
export function quote(text: string): string {
  if (!needsEscape.test(text)) return `"${text}"`
  let out = '"'
  for (const char of text) out += shortEscapes[char] ?? escapeRune(char)
  return out + '"'
}

function escapeRune(char: string): string {
  const code = char.codePointAt(0)!
  if (code >= 0x20 && code < 0x7f) return char
  if (code < 0x80) return `\\x${hex(code, 2)}`
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  if (printable.test(char)) return char
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
}

/** Serializes a value like Go's json.Marshal. The caller must sort the keys of maps. */
export const goJson: (value: unknown) => string = stringifyJson

/** Formats decoded JSON like Go's `%+v`, with sorted keys: `map[a:1 b:[x <nil>]]`. */
export function goValue(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`
  if (typeof value === 'number' && !Number.isInteger(value)) return formatFloat(value)
  if (typeof value !== 'object') return String(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goValue(value[key]!)}`)
  return `map[${members.join(' ')}]`
}

/** Returns Go's len() of a string. */
export function byteLength(text: string): number {
  // For long strings, Buffer.byteLength is faster than the loop.
  if (text.length > 32) return Buffer.byteLength(text)
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text)
  return text.length
}

/**
 * Returns whether the text has more than `maxBytes` bytes in UTF-8. Counts them only if necessary: a UTF-16 unit becomes at maxBytes three bytes.
 */
export function exceedsBytes(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && byteLength(text) > maxBytes
}

/** Parses an integer like Go's strconv.ParseInt(text, 10, 64). Returns undefined for text that Go rejects. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?0*[0-9]{1,19}$/.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0')
}

const maxEntries = 1024
/** Results for longer strings are not cached: they are rare and not worth the memory. */
const maxTextLength = 128

/** Caches the results of a pure function of strings. For strings that repeat often; the cache has a limit. */
export function memoizeByText<T extends object>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const result = compute(text)
    if (text.length > maxTextLength) return result
    if (known.size >= maxEntries) known.clear()
    known.set(text, result)
    return result
  }
}
