import { formatCidr, parseCidr } from '../../cidr.ts'
import { formatIP, parseIP } from '../../ip-address.ts'
import type { IPAddress } from '../../ip-address.ts'
import { bandOf, Pool } from './pool.ts'
import type { Random } from './pool.ts'

export type Family = 'IPv4' | 'IPv6'

export interface IPPoolOptions {
  readonly random: Random
  /** The first address is kept for the API server's own service. */
  readonly reserveFirst: boolean
}

/** Who has the first address while the API server's service does not. */
const reserved = 'reserved'

/** Of larger ranges only the beginning is given out; counting stays exact. */
const largestPool = 2 ** 48

/** Cluster addresses of one range. Its own network address, and for IPv4 the broadcast address, are nobody's. */
export class IPPool {
  readonly family: Family
  readonly #first: bigint
  readonly #size: number
  readonly #network: IPAddress
  readonly #range: string
  readonly #pool: Pool
  readonly #reserveFirst: boolean

  /** Throws for what is no range, or too small to hold a service. */
  constructor(range: string, { random, reserveFirst }: IPPoolOptions) {
    const cidr = parseCidr(range)
    if (cidr === undefined || cidr.address.mapped) throw new Error(`${JSON.stringify(range)} is no range of addresses`)
    this.#network = cidr.network
    this.#range = formatCidr(cidr)
    this.family = cidr.network.family === 4 ? 'IPv4' : 'IPv6'
    if (this.family === 'IPv6' && cidr.prefixLength < 64)
      throw new Error(`the range ${this.#range} is too large: 64 bits is the shortest prefix`)
    const hostBits = (this.family === 'IPv4' ? 32 : 128) - cidr.prefixLength
    const whole = Math.min(2 ** hostBits, largestPool)
    this.#size = whole - (this.family === 'IPv4' ? 2 : 1)
    if (this.#size < 1) throw new Error(`the range ${this.#range} holds no address for a service`)
    this.#first = toNumber(cidr.network) + 1n
    this.#pool = new Pool({ size: this.#size, band: Math.min(bandOf(whole, { least: 16, most: 256, part: 16 }), this.#size) }, random)
    this.#reserveFirst = reserveFirst
    this.#reserve()
  }

  /** What a dry run is given: nobody knows what a real one would get. */
  get placeholder(): string {
    return formatIP(this.#network)
  }

  /** undefined when it was free, else why it cannot be had. */
  take(ip: string, owner: string, mayHaveFirst = false): string | undefined {
    const at = this.#offset(ip)
    if (at === undefined) return 'the provided network does not match the current range'
    if (at === 0 && mayHaveFirst) this.#pool.release(at, reserved)
    const taken = this.#pool.take(at, owner)
    this.#reserve()
    return taken ? undefined : 'provided IP is already allocated'
  }

  /** undefined when all are taken. */
  takeAny(owner: string): string | undefined {
    const at = this.#pool.takeAny(owner)
    return at === undefined ? undefined : this.#format(at)
  }

  /** As the original does, a dry run looks at the range alone. */
  tryTake(ip: string): string | undefined {
    if (this.#offset(ip) !== undefined) return undefined
    return `the provided IP (${formatIP(parseIP(ip)!)}) is not in the valid range. The range of valid IPs is ${this.#range}`
  }

  release(ip: string, owner: string): void {
    const at = this.#offset(ip)
    if (at === undefined) return
    this.#pool.release(at, owner)
    this.#reserve()
  }

  /** Changes nothing while somebody has it. */
  #reserve(): void {
    if (this.#reserveFirst) this.#pool.take(0, reserved)
  }

  #offset(ip: string): number | undefined {
    const address = parseIP(ip)
    if (address === undefined || address.family !== this.#network.family) return undefined
    const offset = toNumber(address) - this.#first
    return offset >= 0n && offset < BigInt(this.#size) ? Number(offset) : undefined
  }

  #format(offset: number): string {
    const number = this.#first + BigInt(offset)
    const bytes = Array.from({ length: 16 }, (_, i) => Number((number >> BigInt(8 * (15 - i))) & 0xffn))
    return formatIP({ ...this.#network, bytes })
  }
}

function toNumber({ bytes }: IPAddress): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
}
