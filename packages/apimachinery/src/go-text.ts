import { stringifyJson } from './encode-json.ts'
import type { JsonValue } from './meta.ts'
import { formatFloat } from './yaml/format-float.ts'

/** How Go prints what ends up in client-visible messages. */

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

/** json.Marshal; keys of maps sorted is the caller's business. */
export const goJson: (value: unknown) => string = stringifyJson

/** `%+v` of what JSON was decoded to: `map[a:1 b:[x <nil>]]`, keys in order. */
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

/** Length as Go's len() sees it. */
export function byteLength(text: string): number {
  // Looking at each character is quicker only where there are few.
  if (text.length > 32) return Buffer.byteLength(text)
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text)
  return text.length
}

/** Is it longer than so many bytes? Nearly always known without counting them: no unit of UTF-16 becomes more than three. */
export function exceedsBytes(text: string, most: number): boolean {
  return text.length * 3 > most && byteLength(text) > most
}

/** strconv.ParseInt(text, 10, 64), undefined where Go reports an error. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?0*[0-9]{1,19}$/.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0')
}
