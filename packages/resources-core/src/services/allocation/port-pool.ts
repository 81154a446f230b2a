import { bandOf, Pool } from './pool.ts'
import type { Random } from './pool.ts'

export interface PortRange {
  readonly first: number
  readonly last: number
}

/** `30000-32767`, `30000+2767` or `30000`. Throws for anything else. */
export function parsePortRange(text: string): PortRange {
  const [, low = '', sign, high = ''] = /^\s*(\d{1,6})(?:([-+])(\d{1,6}))?\s*$/.exec(text) ?? []
  if (low === '') throw new Error(`unable to parse port range: ${text}`)
  const first = Number(low)
  const last = sign === undefined ? first : sign === '-' ? Number(high) : first + Number(high)
  if (first > 65_535 || last > 65_535) throw new Error(`the port range cannot be greater than 65535: ${text}`)
  if (last < first) throw new Error(`end port cannot be less than start port: ${text}`)
  return { first, last }
}

/** Ports that are the same on every node. */
export class PortPool {
  readonly #range: PortRange
  readonly #pool: Pool

  constructor(range: PortRange, random: Random) {
    const size = range.last - range.first + 1
    this.#range = range
    this.#pool = new Pool({ size, band: bandOf(size, { least: 16, most: 128, part: 32 }) }, random)
  }

  has(port: number): boolean {
    return this.#contains(port) && this.#pool.has(port - this.#range.first)
  }

  /** undefined when it was free, else why it cannot be had. */
  take(port: number, owner: string): string | undefined {
    if (!this.#contains(port)) {
      return `provided port is not in the valid range. The range of valid ports is ${this.#range.first}-${this.#range.last}`
    }
    return this.#pool.take(port - this.#range.first, owner) ? undefined : 'provided port is already allocated'
  }

  /** undefined when all are taken. */
  takeAny(owner: string): number | undefined {
    const at = this.#pool.takeAny(owner)
    return at === undefined ? undefined : this.#range.first + at
  }

  release(port: number, owner: string): void {
    if (this.#contains(port)) this.#pool.release(port - this.#range.first, owner)
  }

  #contains(port: number): boolean {
    return port >= this.#range.first && port <= this.#range.last
  }
}
