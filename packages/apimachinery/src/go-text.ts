import { stringifyJson } from './encode-json.ts'
import type { JsonValue } from './meta.ts'
import { formatFloat } from './yaml/format-float.ts'

/** Go's formatting, for client-visible messages. */

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

/** `%q`, strconv.Quote. */
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

/** json.Marshal. The caller must sort the keys of maps. */
export const goJson: (value: unknown) => string = stringifyJson

/** `%+v` of decoded JSON: `map[a:1 b:[x <nil>]]`, keys sorted. */
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
  // The loop is only faster for short strings.
  if (text.length > 32) return Buffer.byteLength(text)
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text)
  return text.length
}

/** Returns whether the UTF-8 form is longer than the limit. Rarely counts, because no UTF-16 unit becomes more than three bytes. */
export function exceedsBytes(text: string, most: number): boolean {
  return text.length * 3 > most && byteLength(text) > most
}

/** strconv.ParseInt(text, 10, 64); undefined where Go reports an error. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?0*[0-9]{1,19}$/.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0')
}

const maxEntries = 1024
/** Longer strings are rare and not worth the memory. */
const maxTextLength = 128

/** Memoizes a pure function of short, repeating strings, up to a limit. */
export function memoizeByText<T extends object>(answer: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = answer(text)
    if (text.length > maxTextLength) return made
    if (known.size >= maxEntries) known.clear()
    known.set(text, made)
    return made
  }
}
