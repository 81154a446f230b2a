import { fieldError, quote } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { formatIP, parseIP } from './ip-address.ts'
import type { IPAddress } from './ip-address.ts'

export interface Cidr {
  /** The address as written, including its host bits. */
  readonly address: IPAddress
  /** The network address, whose host bits are 0. */
  readonly network: IPAddress
  /** The prefix length: at most 32 for IPv4 and 128 for IPv6. */
  readonly prefixLength: number
  /** True if the address or the prefix length is written with leading zeros, which strict parsers reject. */
  readonly hasLeadingZeros: boolean
}

/** Parses a CIDR by the rules of kube-apiserver's legacy fields. Returns undefined if it is invalid. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/')
  const address = slash < 0 ? undefined : parseIP(text.slice(0, slash))
  const digits = text.slice(slash + 1)
  if (address === undefined || !/^[0-9]{1,8}$/.test(digits)) return undefined
  const bits = isIPv4(address) ? 32 : 128
  const prefixLength = Number(digits)
  if (prefixLength > bits) return undefined
  const bytes = maskBytes(address.bytes, prefixLength + 128 - bits)
  const network: IPAddress = { ...address, bytes }
  return { address, network, prefixLength, hasLeadingZeros: address.hasLeadingZeros || (digits.length > 1 && digits.startsWith('0')) }
}

/** Returns whether the address has dotted IPv4 notation. An IPv4-mapped IPv6 address counts as IPv6. */
function isIPv4({ family, isMapped }: IPAddress): boolean {
  return family === 4 && !isMapped
}

function maskBytes(bytes: readonly number[], prefixLength: number): number[] {
  return bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, prefixLength - 8 * i))) & 0xff)
}

/** Returns whether the CIDR `outer` contains the first address of `inner`. */
export function containsCidr(outer: Cidr, inner: Cidr): boolean {
  if (isIPv4(outer.network) !== isIPv4(inner.network)) return false
  const bits = isIPv4(outer.network) ? 32 : 128
  const masked = maskBytes(inner.network.bytes, outer.prefixLength + 128 - bits)
  return masked.every((byte, i) => byte === outer.network.bytes[i])
}

/** Formats a CIDR in canonical form. An IPv4-mapped CIDR is formatted as IPv4. */
export function formatCidr({ network, prefixLength }: Cidr): string {
  if (network.isMapped && prefixLength >= 96) return `${formatIP(network)}/${prefixLength - 96}`
  return `${formatIP(network.isMapped ? { ...network, family: 6 } : network)}/${prefixLength}`
}

/**
 * Validates a CIDR of a legacy field, which accepts non-canonical values. Skips values in `knownValues`, which are the stored values of the
 * field.
 */
export function validateLegacyCidr(value: string, path: FieldPath, knownValues?: ReadonlySet<string>): FieldErrorList {
  if (knownValues?.has(value) === true) return []
  const error = findCidrError(parseCidr(value))
  return error === undefined ? [] : [fieldError.invalid(path, value, error)]
}

/** Validates a CIDR of a newer field, which only accepts canonical values. */
export function validateCidr(value: string, path: FieldPath): FieldErrorList {
  const cidr = parseCidr(value)
  const canonical = cidr && formatCidr(cidr)
  const error = findCidrError(cidr) ?? (canonical === value ? undefined : `must be in canonical form (${quote(canonical ?? '')})`)
  return error === undefined ? [] : [fieldError.invalid(path, value, error)]
}

function findCidrError(cidr: Cidr | undefined): string | undefined {
  if (cidr === undefined) return 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
  if (cidr.hasLeadingZeros) return 'must not have leading 0s in IP or prefix length'
  if (cidr.address.isMapped) return 'must not have an IPv4-mapped IPv6 address'
  return hasHostBits(cidr) ? 'must not have bits set beyond the prefix length' : undefined
}

function hasHostBits({ address, network }: Cidr): boolean {
  return address.bytes.some((byte, i) => byte !== network.bytes[i])
}

/** Returns warnings about a valid CIDR that is not canonical. */
export function findCidrWarnings(value: string, path: FieldPath): readonly string[] {
  const cidr = parseCidr(value)
  if (cidr === undefined) return []
  const { address, hasLeadingZeros } = cidr
  const pathText = path.toString()
  const canonical = formatCidr(cidr)
  const warnings: string[] = []
  if (hasHostBits(cidr)) {
    const single = `${formatIP(address)}/${isIPv4(address) ? 32 : 128}`
    warnings.push(`${pathText}: CIDR value "${value}" is ambiguous in this context (should be "${canonical}" or "${single}"?)`)
  }
  if (hasLeadingZeros || address.isMapped) warnings.push(`${pathText}: non-standard CIDR value "${value}" is invalid: use "${canonical}"`)
  if (warnings.length === 0 && address.family === 6 && canonical !== value) {
    warnings.push(`${pathText}: IPv6 CIDR value "${value}" should be in RFC 5952 canonical format ("${canonical}")`)
  }
  return warnings
}
