import { fieldError, newFieldPath, quote } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

export interface IPAddress {
  /** The address as 16 bytes. IPv4 addresses are IPv4-mapped (`::ffff:…`). */
  readonly bytes: readonly number[]
  readonly family: 4 | 6
  /** True if the address is written in IPv4-mapped form, `::ffff:a.b.c.d`. */
  readonly isMapped: boolean
  /** True if an octet is written with leading zeros, which strict parsers reject. */
  readonly hasLeadingZeros: boolean
}

const mappedPrefix: readonly number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/**
 * Parses an IP address by the rules of kube-apiserver's legacy fields. Octets with leading zeros are decimal. Returns undefined if the
 * address is invalid.
 */
export function parseIP(text: string): IPAddress | undefined {
  const separator = /[.:]/.exec(text)?.[0]
  if (separator === '.') {
    const ipv4 = parseIPv4(text)
    return ipv4 && { bytes: [...mappedPrefix, ...ipv4.bytes], family: 4, isMapped: false, hasLeadingZeros: ipv4.hasLeadingZeros }
  }
  return separator === ':' ? parseIPv6(text) : undefined
}

function parseIPv4(text: string): { bytes: number[]; hasLeadingZeros: boolean } | undefined {
  const octets = text.split('.')
  if (octets.length !== 4 || !octets.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255)) return undefined
  return { bytes: octets.map(Number), hasLeadingZeros: octets.some((part) => part.length > 1 && part.startsWith('0')) }
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
  const isMapped = mappedPrefix.every((byte, i) => bytes[i] === byte)
  return { bytes, family: isMapped ? 4 : 6, isMapped, hasLeadingZeros: head.hasLeadingZeros || (tail?.hasLeadingZeros ?? false) }
}

function parseGroups(text: string, isLast: boolean): { bytes: number[]; hasLeadingZeros: boolean } | undefined {
  const bytes: number[] = []
  let hasLeadingZeros = false
  if (text === '') return { bytes, hasLeadingZeros }
  const groups = text.split(':')
  for (const [i, group] of groups.entries()) {
    if (isLast && i === groups.length - 1 && group.includes('.')) {
      const ipv4 = parseIPv4(group)
      if (ipv4 === undefined) return undefined
      bytes.push(...ipv4.bytes)
      hasLeadingZeros ||= ipv4.hasLeadingZeros
      continue
    }
    const value = /^[0-9a-fA-F]+$/.test(group) ? Number.parseInt(group, 16) : Number.NaN
    if (!(value <= 0xffff)) return undefined
    bytes.push(value >> 8, value & 0xff)
    hasLeadingZeros ||= group.length > 4
  }
  return { bytes, hasLeadingZeros }
}

/** Formats an IP address by RFC 5952. An IPv4-mapped address is formatted as IPv4. */
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

/**
 * Validates an IP address of a legacy field, which accepts any unambiguous notation. Skips values in `knownValues`, which are the stored values
 * of the field.
 */
export function validateLegacyIP(value: string, path: FieldPath, knownValues?: ReadonlySet<string>): FieldErrorList {
  if (knownValues?.has(value) === true) return []
  const address = parseIP(value)
  if (address === undefined) {
    return [fieldError.invalid(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
  }
  const errors: FieldErrorList = []
  if (address.hasLeadingZeros) errors.push(fieldError.invalid(path, value, 'must not have leading 0s'))
  else if (address.isMapped) errors.push(fieldError.invalid(path, value, 'must not be an IPv4-mapped IPv6 address'))
  return errors
}

/** Validates an IP address of a newer field, which only accepts the canonical notation. */
export function validateIP(value: string, path: FieldPath): FieldErrorList {
  const errors = validateLegacyIP(value, path)
  if (errors.length > 0) return errors
  const canonical = formatIP(parseIP(value)!)
  return canonical === value ? [] : [fieldError.invalid(path, value, `must be in canonical form (${quote(canonical)})`)]
}

/** Returns the error messages of `validateIP` without paths. Used for object names that are IP addresses. */
export function findIPErrors(value: string): readonly string[] {
  return validateIP(value, newFieldPath()).map(({ detail }) => detail)
}

/** Returns warnings about an address that passes `validateLegacyIP` but is not canonical. */
export function findIPWarnings(value: string, path: FieldPath): readonly string[] {
  const address = parseIP(value)
  if (address === undefined) return []
  const canonical = formatIP(address)
  if (address.hasLeadingZeros || address.isMapped) return [`${path}: non-standard IP address "${value}" is invalid: use "${canonical}"`]
  return address.family === 6 && canonical !== value
    ? [`${path}: IPv6 address "${value}" should be in RFC 5952 canonical format ("${canonical}")`]
    : []
}
