import { formatCidr, formatIP, parseCidr, parseIP } from '@keelson/resources-core'
import type { IPAddress } from '@keelson/resources-core'
import { computeStaticBandSize } from './static-band.ts'

export type Family = 'IPv4' | 'IPv6'

/** Maximum number of usable addresses of a range, so that offsets are exact integers. */
const largestRange = 2 ** 48

/** The usable addresses of a CIDR by offset. The network address and the IPv4 broadcast address are excluded. */
export class IPRange {
  readonly family: Family
  readonly cidr: string
  /** Number of usable addresses. */
  readonly size: number
  /**
   * Size of the static band, which are the first addresses of the range. Dynamic allocation uses them last, so that users can choose them.
   */
  readonly band: number
  /** Address that an allocation in a dry run returns. */
  readonly placeholder: string
  readonly #first: bigint
  readonly #network: IPAddress

  /** Parses a CIDR. Throws if it is invalid, or if the range is too small or too large. */
  constructor(text: string) {
    const cidr = parseCidr(text)
    if (cidr === undefined || cidr.address.isMapped) throw new Error(`${JSON.stringify(text)} is not a valid CIDR`)
    const { network, prefixLength } = cidr
    this.#network = network
    this.cidr = formatCidr(cidr)
    this.placeholder = formatIP(network)
    this.family = network.family === 4 ? 'IPv4' : 'IPv6'
    if (this.family === 'IPv6' && prefixLength < 64)
      throw new Error(`the CIDR ${this.cidr} is too large: the prefix must have at least 64 bits`)
    const total = Math.min(2 ** ((this.family === 'IPv4' ? 32 : 128) - prefixLength), largestRange)
    this.size = total - (this.family === 'IPv4' ? 2 : 1)
    if (this.size < 1) throw new Error(`the CIDR ${this.cidr} is too small: it has no usable addresses`)
    this.#first = toNumber(network) + 1n
    this.band = Math.min(computeStaticBandSize(total, { min: 16, max: 256, divisor: 16 }), this.size)
  }

  contains(ip: string): boolean {
    const address = parseIP(ip)
    if (address === undefined || address.family !== this.#network.family) return false
    const offset = toNumber(address) - this.#first
    return offset >= 0n && offset < BigInt(this.size)
  }

  /** Returns the address at an offset in canonical form. */
  address(offset: number): string {
    const number = this.#first + BigInt(offset)
    if (this.family === 'IPv4') {
      const low = Number(number & 0xffff_ffffn)
      return `${low >>> 24}.${(low >>> 16) & 0xff}.${(low >>> 8) & 0xff}.${low & 0xff}`
    }
    return formatIP({ ...this.#network, bytes: Array.from({ length: 16 }, (_, i) => Number((number >> BigInt(8 * (15 - i))) & 0xffn)) })
  }
}

function toNumber({ bytes }: IPAddress): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
}

/** Parses one CIDR, or two of different IP families separated by a comma. The first one is preferred. Throws if the text is not valid. */
export function parseIPRanges(text: string): readonly IPRange[] {
  const ranges = text.split(',').map((range) => new IPRange(range.trim()))
  if (ranges.length > 2) throw new Error(`"${text}" has ${ranges.length} CIDRs; at most two are allowed`)
  if (ranges[0]?.family === ranges[1]?.family) throw new Error('two CIDRs must be of different IP families')
  return ranges
}
