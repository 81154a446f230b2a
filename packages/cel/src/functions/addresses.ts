import { quote } from '@keelson/apimachinery'
import { CelError, noSuchOverload, OpaqueValue, createConversionError } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementations } from './implementation.ts'
import { AddressError, IpAddress, isMappedV4, parseAddress } from './ip-address.ts'

/** A network (CIDR): an address, which may have host bits, and a prefix length. */
class Network extends OpaqueValue {
  readonly typeName = 'net.CIDR'
  readonly address: IpAddress
  readonly prefixLength: number

  constructor(address: IpAddress, prefixLength: number) {
    super()
    this.address = address
    this.prefixLength = prefixLength
  }

  override get size(): number {
    return Math.ceil(this.prefixLength / 8)
  }

  override reread(): CelError {
    return createConversionError('netip.Prefix', this.toString())
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof Network)) return other instanceof CelError ? other : noSuchOverload
    return this.prefixLength === other.prefixLength && this.address.equals(other.address) === true
  }

  /** Returns whether the first `bits` bits of an address are those of this network. */
  contains(address: IpAddress, bits: number = this.prefixLength): boolean {
    return this.address.isV4 === address.isV4 && maskBytes(address, bits).every((byte, i) => byte === maskBytes(this.address, bits)[i])
  }

  masked(): Network {
    return new Network(new IpAddress(maskBytes(this.address, this.prefixLength)), this.prefixLength)
  }

  override toString(): string {
    return `${this.address.toString()}/${this.prefixLength}`
  }
}

function maskBytes({ bytes }: IpAddress, bits: number): readonly number[] {
  return bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * i))) & 0xff)
}

function parseIp(text: string): IpAddress | CelError {
  try {
    const { bytes, zone } = parseAddress(text)
    if (zone !== '') return new CelError(`IP address ${quote(text)} with zone value is not allowed`)
    return isMappedV4(bytes) ? new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`) : new IpAddress(bytes)
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    return new CelError(`IP Address ${quote(text)} parse error during conversion from string: ${error.message}`)
  }
}

const unparsed = 'network address parse error during conversion from string: '

/** Parses a network in CIDR notation. Returns a CelError without the prefix that `cidr()` adds if the text is not valid. */
function parseNetwork(text: string): Network | CelError {
  const createPrefixError = (problem: string): CelError => new CelError(`${unparsed}netip.ParsePrefix(${quote(text)}): ${problem}`)
  const slash = text.lastIndexOf('/')
  if (slash < 0) return createPrefixError("no '/'")
  try {
    const { bytes, zone } = parseAddress(text.slice(0, slash))
    if (zone !== '') return createPrefixError('IPv6 zones cannot be present in a prefix')
    const bits = text.slice(slash + 1)
    if (!/^(?:[0-9]|[1-9][0-9]*)$/.test(bits) || Number(bits) >= 2 ** 63) return createPrefixError(`bad bits after slash: ${quote(bits)}`)
    if (Number(bits) > bytes.length * 8) return createPrefixError('prefix length out of range')
    if (isMappedV4(bytes)) return new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`)
    return new Network(new IpAddress(bytes), Number(bits))
  } catch (error) {
    if (error instanceof AddressError) return createPrefixError(error.message)
    throw error
  }
}

function convertToCidr(text: string): Network | CelError {
  const network = parseNetwork(text)
  return network instanceof CelError ? new CelError(unparsed + network.message) : network
}

function containsIp(network: Network, address: IpAddress | CelError): Value {
  return address instanceof CelError ? noSuchOverload : network.contains(address)
}

function containsNetwork(network: Network, other: Network | CelError): Value {
  if (other instanceof CelError) return other
  return network.prefixLength <= other.prefixLength && network.contains(other.address)
}

/** Returns whether an address starts with the given bytes. */
function startsWith({ bytes }: IpAddress, ...first: readonly number[]): boolean {
  return first.every((byte, i) => bytes[i] === byte)
}

function isUnspecified({ bytes }: IpAddress): boolean {
  return bytes.every((byte) => byte === 0)
}

function isLoopback(address: IpAddress): boolean {
  return address.isV4 ? startsWith(address, 127) : address.toString() === '::1'
}

function isLinkLocalUnicast(address: IpAddress): boolean {
  return address.isV4 ? startsWith(address, 169, 254) : startsWith(address, 0xfe) && (address.bytes[1]! & 0xc0) === 0x80
}

function isLinkLocalMulticast(address: IpAddress): boolean {
  return address.isV4 ? startsWith(address, 224, 0, 0) : startsWith(address, 0xff) && (address.bytes[1]! & 0x0f) === 2
}

function isGlobalUnicast(address: IpAddress): boolean {
  const isMulticast = address.isV4 ? (address.bytes[0]! & 0xf0) === 0xe0 : startsWith(address, 0xff)
  const isBroadcast = address.isV4 && address.bytes.every((byte) => byte === 255)
  return !isUnspecified(address) && !isBroadcast && !isLoopback(address) && !isMulticast && !isLinkLocalUnicast(address)
}

/** IP addresses and networks. */
export const addresses: Implementations = {
  cidr_contains_cidr: adaptTypes(containsNetwork),
  cidr_contains_cidr_string: adaptTypes((network: Network, other: string) => containsNetwork(network, convertToCidr(other))),
  cidr_contains_ip_ip: adaptTypes(containsIp),
  cidr_contains_ip_string: adaptTypes((network: Network, other: string) => containsIp(network, parseIp(other))),
  cidr_ip: adaptTypes(({ address }: Network) => address),
  cidr_masked: adaptTypes((network: Network) => network.masked()),
  cidr_prefix_length: adaptTypes(({ prefixLength }: Network) => prefixLength),
  cidr_to_string: adaptTypes((network: Network) => network.toString()),
  ip_family: adaptTypes(({ isV4 }: IpAddress) => (isV4 ? 4 : 6)),
  ip_is_canonical: adaptTypes((text: string) => {
    const address = parseIp(text)
    return address instanceof CelError ? address : address.toString() === text
  }),
  ip_is_global_unicast: adaptTypes(isGlobalUnicast),
  ip_is_link_local_multicast: adaptTypes(isLinkLocalMulticast),
  ip_is_link_local_unicast: adaptTypes(isLinkLocalUnicast),
  ip_is_loopback: adaptTypes(isLoopback),
  ip_is_unspecified: adaptTypes(isUnspecified),
  ip_to_string: adaptTypes((address: IpAddress) => address.toString()),
  is_cidr: adaptTypes((text: string) => !(parseNetwork(text) instanceof CelError)),
  is_ip: adaptTypes((text: string) => !(parseIp(text) instanceof CelError)),
  string_to_cidr: adaptTypes(convertToCidr),
  string_to_ip: adaptTypes(parseIp),
}
