import { fieldError, quote } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { formatIP, parseIP } from './ip-address.ts'
import type { IPAddress } from './ip-address.ts'

export interface Cidr {
  /** As written, with the bits behind the prefix. */
  readonly address: IPAddress
  /** Without them. */
  readonly network: IPAddress
  /** Leading bits of the address as it is written: up to 32, or up to 128. */
  readonly prefixLength: number
  /** Has zeros that strict readers refuse. */
  readonly sloppy: boolean
}

/** As the original's legacy fields read it. Undefined when it is no range. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/')
  const address = slash < 0 ? undefined : parseIP(text.slice(0, slash))
  const digits = text.slice(slash + 1)
  if (address === undefined || !/^[0-9]{1,8}$/.test(digits)) return undefined
  const bits = isFour(address) ? 32 : 128
  const prefixLength = Number(digits)
  if (prefixLength > bits) return undefined
  const bytes = maskBytes(address.bytes, prefixLength + 128 - bits)
  const network: IPAddress = { ...address, bytes }
  return { address, network, prefixLength, sloppy: address.sloppy || (digits.length > 1 && digits.startsWith('0')) }
}

/** Written with dots; a mapped address counts as the IPv6 address it is written as. */
function isFour({ family, mapped }: IPAddress): boolean {
  return family === 4 && !mapped
}

function maskBytes(bytes: readonly number[], prefixLength: number): number[] {
  return bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, prefixLength - 8 * i))) & 0xff)
}

/** Whether the first address of `part` lies in `whole`. */
export function cidrContains(whole: Cidr, part: Cidr): boolean {
  if (isFour(whole.network) !== isFour(part.network)) return false
  const bits = isFour(whole.network) ? 32 : 128
  const masked = maskBytes(part.network.bytes, whole.prefixLength + 128 - bits)
  return masked.every((byte, i) => byte === whole.network.bytes[i])
}

/** The canonical form of a range; of a mapped one, the IPv4 range it is. */
export function formatCidr({ network, prefixLength }: Cidr): string {
  if (network.mapped && prefixLength >= 96) return `${formatIP(network)}/${prefixLength - 96}`
  return `${formatIP(network.mapped ? { ...network, family: 6 } : network)}/${prefixLength}`
}

/** Of fields that are older than strict checks. What `known` holds already may stay. */
export function validateLegacyCidr(value: string, path: FieldPath, known?: ReadonlySet<string>): FieldErrorList {
  if (known?.has(value) === true) return []
  const complaint = cidrComplaint(parseCidr(value))
  return complaint === undefined ? [] : [fieldError.invalid(path, value, complaint)]
}

/** Of newer fields: the one canonical form of a range. */
export function validateCidr(value: string, path: FieldPath): FieldErrorList {
  const cidr = parseCidr(value)
  const canonical = cidr && formatCidr(cidr)
  const complaint = cidrComplaint(cidr) ?? (canonical === value ? undefined : `must be in canonical form (${quote(canonical ?? '')})`)
  return complaint === undefined ? [] : [fieldError.invalid(path, value, complaint)]
}

function cidrComplaint(cidr: Cidr | undefined): string | undefined {
  if (cidr === undefined) return 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
  if (cidr.sloppy) return 'must not have leading 0s in IP or prefix length'
  if (cidr.address.mapped) return 'must not have an IPv4-mapped IPv6 address'
  return hasHostBits(cidr) ? 'must not have bits set beyond the prefix length' : undefined
}

function hasHostBits({ address, network }: Cidr): boolean {
  return address.bytes.some((byte, i) => byte !== network.bytes[i])
}

/** For values that are accepted and still written in an unusual form. */
export function cidrWarnings(value: string, path: FieldPath): readonly string[] {
  const cidr = parseCidr(value)
  if (cidr === undefined) return []
  const { address, sloppy } = cidr
  const where = path.toString()
  const canonical = formatCidr(cidr)
  const warnings: string[] = []
  if (hasHostBits(cidr)) {
    const single = `${formatIP(address)}/${isFour(address) ? 32 : 128}`
    warnings.push(`${where}: CIDR value "${value}" is ambiguous in this context (should be "${canonical}" or "${single}"?)`)
  }
  if (sloppy || address.mapped) warnings.push(`${where}: non-standard CIDR value "${value}" is invalid: use "${canonical}"`)
  if (warnings.length === 0 && address.family === 6 && canonical !== value) {
    warnings.push(`${where}: IPv6 CIDR value "${value}" should be in RFC 5952 canonical format ("${canonical}")`)
  }
  return warnings
}
