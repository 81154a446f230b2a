import { formatCidr, formatIP, parseCidr, parseIP } from '@keelson/resources-core'
import type { IPAddress } from '@keelson/resources-core'
import { bandOf } from './band.ts'

export type Family = 'IPv4' | 'IPv6'

/** Of larger ranges only the beginning is given out; counting stays exact. */
const largestRange = 2 ** 48

/** The addresses of one range that services may have, by number. The network's own, and for IPv4 the broadcast address, are nobody's. */
export class IPRange {
  readonly family: Family
  readonly cidr: string
  /** How many. */
  readonly size: number
  /** How many of the first are kept for who asks by address. */
  readonly band: number
  /** What a dry run is given: nobody knows what a real one would get. */
  readonly placeholder: string
  readonly #first: bigint
  readonly #network: IPAddress

  /** Throws for what is no range, or too small to hold a service. */
  constructor(text: string) {
    const cidr = parseCidr(text)
    if (cidr === undefined || cidr.address.isMapped) throw new Error(`${JSON.stringify(text)} is no range of addresses`)
    const { network, prefixLength } = cidr
    this.#network = network
    this.cidr = formatCidr(cidr)
    this.placeholder = formatIP(network)
    this.family = network.family === 4 ? 'IPv4' : 'IPv6'
    if (this.family === 'IPv6' && prefixLength < 64) throw new Error(`the range ${this.cidr} is too large: 64 bits is the shortest prefix`)
    const whole = Math.min(2 ** ((this.family === 'IPv4' ? 32 : 128) - prefixLength), largestRange)
    this.size = whole - (this.family === 'IPv4' ? 2 : 1)
    if (this.size < 1) throw new Error(`the range ${this.cidr} holds no address for a service`)
    this.#first = toNumber(network) + 1n
    this.band = Math.min(bandOf(whole, { least: 16, most: 256, part: 16 }), this.size)
  }

  contains(ip: string): boolean {
    const address = parseIP(ip)
    if (address === undefined || address.family !== this.#network.family) return false
    const offset = toNumber(address) - this.#first
    return offset >= 0n && offset < BigInt(this.size)
  }

  /** In canonical form. */
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

/** One range, or one of each family with a comma between them, in order of preference. Throws for anything else. */
export function parseIPRanges(text: string): readonly IPRange[] {
  const ranges = text.split(',').map((range) => new IPRange(range.trim()))
  if (ranges.length > 2) throw new Error('there may not be more than two ranges of addresses')
  if (ranges[0]?.family === ranges[1]?.family) throw new Error('two ranges of addresses must be of different families')
  return ranges
}
