import { fieldError, fieldPath, quote } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

export interface IPAddress {
  /** Sixteen bytes; an IPv4 address is mapped (`::ffff:…`). */
  readonly bytes: readonly number[]
  readonly family: 4 | 6
  /** Written as `::ffff:a.b.c.d`. */
  readonly mapped: boolean
  /** Has zeros that strict readers refuse. */
  readonly sloppy: boolean
}

const mappedPrefix: readonly number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/** As the original's legacy fields read it: leading zeros are decimal. Undefined when it is no address. */
export function parseIP(text: string): IPAddress | undefined {
  const separator = /[.:]/.exec(text)?.[0]
  if (separator === '.') {
    const four = parseIPv4(text)
    return four && { bytes: [...mappedPrefix, ...four.bytes], family: 4, mapped: false, sloppy: four.sloppy }
  }
  return separator === ':' ? parseIPv6(text) : undefined
}

function parseIPv4(text: string): { bytes: number[]; sloppy: boolean } | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255)) return undefined
  return { bytes: parts.map(Number), sloppy: parts.some((part) => part.length > 1 && part.startsWith('0')) }
}

function parseIPv6(text: string): IPAddress | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const parsed = halves.map((half, i) => parseGroups(half, i === halves.length - 1))
  const [head, tail] = parsed
  if (head === undefined || parsed.includes(undefined)) return undefined
  const missing = 16 - head.bytes.length - (tail?.bytes.length ?? 0)
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined
  const bytes = [...head.bytes, ...Array.from({ length: missing }, () => 0), ...(tail?.bytes ?? [])]
  const mapped = mappedPrefix.every((byte, i) => bytes[i] === byte)
  return { bytes, family: mapped ? 4 : 6, mapped, sloppy: head.sloppy || (tail?.sloppy ?? false) }
}

function parseGroups(text: string, last: boolean): { bytes: number[]; sloppy: boolean } | undefined {
  const bytes: number[] = []
  let sloppy = false
  if (text === '') return { bytes, sloppy }
  const groups = text.split(':')
  for (const [i, group] of groups.entries()) {
    if (last && i === groups.length - 1 && group.includes('.')) {
      const four = parseIPv4(group)
      if (four === undefined) return undefined
      bytes.push(...four.bytes)
      sloppy ||= four.sloppy
      continue
    }
    const value = /^[0-9a-fA-F]+$/.test(group) ? Number.parseInt(group, 16) : Number.NaN
    if (!(value <= 0xffff)) return undefined
    bytes.push(value >> 8, value & 0xff)
    sloppy ||= group.length > 4
  }
  return { bytes, sloppy }
}

/** RFC 5952; a mapped address as the IPv4 address it is. */
export function formatIP({ bytes, family }: IPAddress): string {
  if (family === 4) return bytes.slice(12).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16))
  let start = -1
  let length = 1
  for (let i = 0; i < 8; i++) {
    let end = i
    while (end < 8 && groups[end] === '0') end++
    if (end - i > length) [start, length] = [i, end - i]
  }
  if (start < 0) return groups.join(':')
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`
}

/** Of fields that are older than strict checks: any form of an address but the ambiguous ones. What `known` holds already may stay. */
export function validateLegacyIP(value: string, path: FieldPath, known?: ReadonlySet<string>): FieldErrorList {
  if (known?.has(value) === true) return []
  const address = parseIP(value)
  if (address === undefined) {
    return [fieldError.invalid(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
  }
  const errors: FieldErrorList = []
  if (address.sloppy) errors.push(fieldError.invalid(path, value, 'must not have leading 0s'))
  else if (address.mapped) errors.push(fieldError.invalid(path, value, 'must not be an IPv4-mapped IPv6 address'))
  return errors
}

/** Of newer fields: the one canonical form of an address. */
export function validateIP(value: string, path: FieldPath): FieldErrorList {
  const errors = validateLegacyIP(value, path)
  if (errors.length > 0) return errors
  const canonical = formatIP(parseIP(value)!)
  return canonical === value ? [] : [fieldError.invalid(path, value, `must be in canonical form (${quote(canonical)})`)]
}

/** The same for a name that is an address. */
export function complaintsOfIP(value: string): readonly string[] {
  return validateIP(value, fieldPath()).map(({ detail }) => detail)
}

/** For values that passed `validateLegacyIP` and are still written in an unusual form. */
export function ipWarnings(value: string, path: FieldPath): readonly string[] {
  const address = parseIP(value)
  if (address === undefined) return []
  const canonical = formatIP(address)
  if (address.sloppy || address.mapped) return [`${path}: non-standard IP address "${value}" is invalid: use "${canonical}"`]
  return address.family === 6 && canonical !== value
    ? [`${path}: IPv6 address "${value}" should be in RFC 5952 canonical format ("${canonical}")`]
    : []
}
