/** How many numbers a pool has, and how many of them, from the first, are left for those who ask for one by number as long as others are free. */
export interface PoolSize {
  readonly size: number
  readonly band: number
}

/** A whole number from 0 up to but not including `below`. */
export type Random = (below: number) => number

/**
 * Numbers 0 … size-1, each taken by at most one owner. Only the owner gives one back, so that a release that comes late, or twice,
 * never frees what somebody else got meanwhile.
 */
export class Pool {
  readonly #owners = new Map<number, string>()
  readonly #size: number
  readonly #band: number
  readonly #random: Random

  constructor({ size, band }: PoolSize, random: Random) {
    this.#size = size
    this.#band = band
    this.#random = random
  }

  has(number: number): boolean {
    return this.#owners.has(number)
  }

  /** False when it is taken. */
  take(number: number, owner: string): boolean {
    if (this.#owners.has(number)) return false
    this.#owners.set(number, owner)
    return true
  }

  /** Begins at a random place above the band and goes on to the next that is free; into the band when nothing else is. */
  takeAny(owner: string): number | undefined {
    if (this.#owners.size >= this.#size) return undefined
    const number = this.#findFree(this.#band, this.#size) ?? this.#findFree(0, this.#band)
    if (number !== undefined) this.#owners.set(number, owner)
    return number
  }

  release(number: number, owner: string): void {
    if (this.#owners.get(number) === owner) this.#owners.delete(number)
  }

  #findFree(from: number, to: number): number | undefined {
    const size = to - from
    if (size <= 0) return undefined
    const start = this.#random(size)
    for (let i = 0; i < size; i++) {
      const number = from + ((start + i) % size)
      if (!this.#owners.has(number)) return number
    }
    return undefined
  }
}

/** A part of the whole, within limits; none of it for small pools. */
export function bandOf(
  size: number,
  { least, most, part }: { readonly least: number; readonly most: number; readonly part: number },
): number {
  return size <= least ? 0 : Math.min(most, Math.max(least, Math.floor(size / part)))
}
