import { quote } from '@keelson/apimachinery'
import { CelError, noSuchOverload, OpaqueValue, createConversionError } from '../values/value.ts'
import type { Value } from '../values/value.ts'

/** An IPv4 or IPv6 address. */
export class IpAddress extends OpaqueValue {
  readonly typeName = 'net.IP'
  /** The bytes of the address: 4 for IPv4, 16 for IPv6. */
  readonly bytes: readonly number[]

  constructor(bytes: readonly number[]) {
    super()
    this.bytes = bytes
  }

  override get size(): number {
    return this.bytes.length
  }

  get isV4(): boolean {
    return this.bytes.length === 4
  }

  override reread(): CelError {
    return createConversionError('netip.Addr', this.toString())
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof IpAddress)) return other instanceof CelError ? other : noSuchOverload
    return this.bytes.length === other.bytes.length && this.bytes.every((byte, i) => byte === other.bytes[i])
  }

  /** Formats the address canonically (RFC 5952). */
  override toString(): string {
    return this.isV4 ? this.bytes.join('.') : formatV6(splitIntoGroups(this.bytes))
  }
}

function splitIntoGroups(bytes: readonly number[]): readonly number[] {
  return Array.from({ length: 8 }, (_, i) => bytes[2 * i]! * 256 + bytes[2 * i + 1]!)
}

/** Formats an IPv6 address. The longest run of zero groups becomes `::` if it has more than one group. */
function formatV6(groups: readonly number[]): string {
  let [start, length] = [-1, 1]
  for (let i = 0; i < 8; i++) {
    let end = i
    while (end < 8 && groups[end] === 0) end++
    if (end - i > length) [start, length] = [i, end - i]
    if (end > i) i = end
  }
  const hex = groups.map((group) => group.toString(16))
  return start < 0 ? hex.join(':') : `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`
}

/** The parse error of an address. The message is that of Go's netip package. */
export class AddressError extends Error {
  constructor(text: string, problem: string, at?: string) {
    super(`ParseAddr(${quote(text)}): ${problem}${at === undefined || at === '' ? '' : ` (at ${quote(at)})`}`)
  }
}

export interface ParsedAddress {
  readonly bytes: readonly number[]
  readonly zone: string
}

/** Parses an address like Go's netip.ParseAddr. Throws `AddressError`. */
export function parseAddress(text: string): ParsedAddress {
  const separator = /[.:%]/.exec(text)?.[0]
  if (separator === '.') return { bytes: parseV4(text, text), zone: '' }
  if (separator === ':') return parseV6(text)
  throw new AddressError(text, separator === undefined ? 'unable to parse IP' : 'missing IPv6 address')
}

/** Parses the IPv4 address `part`. `text` is the whole address for error messages. */
function parseV4(text: string, part: string): readonly number[] {
  const fields: number[] = []
  let value = 0
  let digits = 0
  for (let i = 0; i < part.length; i++) {
    const character = part[i]!
    if (character >= '0' && character <= '9') {
      if (digits === 1 && value === 0) throw new AddressError(text, 'IPv4 field has octet with leading zero')
      value = value * 10 + Number(character)
      digits++
      if (value > 255) throw new AddressError(text, 'IPv4 field has value >255')
    } else if (character === '.') {
      if (i === 0 || i === part.length - 1 || part[i - 1] === '.') {
        throw new AddressError(text, 'IPv4 field must have at least one digit', part.slice(i))
      }
      if (fields.length === 3) throw new AddressError(text, 'IPv4 address too long')
      fields.push(value)
      value = 0
      digits = 0
    } else throw new AddressError(text, 'unexpected character', part.slice(i))
  }
  if (fields.length < 3) throw new AddressError(text, 'IPv4 address too short')
  return [...fields, value]
}

function parseV6(text: string): ParsedAddress {
  const percent = text.indexOf('%')
  const zone = percent < 0 ? '' : text.slice(percent + 1)
  if (percent >= 0 && zone === '') throw new AddressError(text, 'zone must be a non-empty string')
  let rest = percent < 0 ? text : text.slice(0, percent)
  const bytes: number[] = []
  let ellipsis = -1
  if (rest.startsWith('::')) {
    ellipsis = 0
    rest = rest.slice(2)
    if (rest === '') return { bytes: Array.from({ length: 16 }, () => 0), zone }
  }
  while (bytes.length < 16) {
    const digits = /^[0-9a-fA-F]*/.exec(rest.slice(0, 5))![0]
    if (digits.length > 4) throw new AddressError(text, 'each group must have 4 or less digits', rest)
    if (digits === '') throw new AddressError(text, 'each colon-separated field must have at least one digit', rest)
    if (rest[digits.length] === '.') {
      if (ellipsis < 0 && bytes.length !== 12) {
        throw new AddressError(text, 'embedded IPv4 address must replace the final 2 fields of the address', rest)
      }
      if (bytes.length > 12) {
        throw new AddressError(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest)
      }
      bytes.push(...parseV4(text, rest))
      rest = ''
      break
    }
    const group = Number.parseInt(digits, 16)
    bytes.push(group >> 8, group & 0xff)
    rest = rest.slice(digits.length)
    if (rest === '') break
    if (rest[0] !== ':') throw new AddressError(text, 'unexpected character, want colon', rest)
    if (rest.length === 1) throw new AddressError(text, 'colon must be followed by more characters', rest)
    rest = rest.slice(1)
    if (rest[0] !== ':') continue
    if (ellipsis >= 0) throw new AddressError(text, 'multiple :: in address', rest)
    ellipsis = bytes.length
    rest = rest.slice(1)
    if (rest === '') break
  }
  if (rest !== '') throw new AddressError(text, 'trailing garbage after address', rest)
  return { bytes: expandEllipsis(text, bytes, ellipsis), zone }
}

function expandEllipsis(text: string, bytes: readonly number[], ellipsis: number): readonly number[] {
  if (bytes.length === 16) {
    if (ellipsis >= 0) throw new AddressError(text, 'the :: must expand to at least one field of zeros')
    return bytes
  }
  if (ellipsis < 0) throw new AddressError(text, 'address string too short')
  const zeros = Array.from({ length: 16 - bytes.length }, () => 0)
  return [...bytes.slice(0, ellipsis), ...zeros, ...bytes.slice(ellipsis)]
}

/** Returns whether an IPv6 address contains an IPv4 address. */
export function isMappedV4(bytes: readonly number[]): boolean {
  return bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
}
