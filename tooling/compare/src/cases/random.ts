import { createRandom } from '@keelson/tooling-faults/random'

/** A random generator for choices. The same seed gives the same choices. */
export class Random {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = createRandom(seed)
  }

  /** Returns an integer from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit)
  }

  chance(probability: number): boolean {
    return this.#next() < probability
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!
  }

  /** Returns a random key of `weights`. The probability of a key is proportional to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][]
    let remaining = this.#next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) if ((remaining -= weight) < 0) return name
    return entries.at(-1)![0]
  }
}
