import { sample, stringMatching } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import type { Random } from '../cases/random.ts'

const cache = new Map<string, Arbitrary<string> | undefined>()

export interface PatternOptions {
  readonly random: Random
  /** Returns whether a string has an allowed length. */
  readonly fits: (text: string) => boolean
}

/** Returns a string that matches a pattern. Returns undefined if none is found, for example because the pattern uses lookahead. */
export function generateString(pattern: string, { random, fits }: PatternOptions): string | undefined {
  if (!cache.has(pattern)) cache.set(pattern, findArbitrary(pattern))
  const strings = cache.get(pattern)
  if (strings === undefined) return undefined
  return sample(strings, { seed: random.below(1_000_000), numRuns: 20 }).find((text) => fits(text) && isPrintable(text))
}

function findArbitrary(pattern: string): Arbitrary<string> | undefined {
  try {
    const anchored = stringMatching(new RegExp(pattern, 'u'), { size: 'xsmall' })
    sample(anchored, 1)
    return anchored
  } catch {
    return undefined
  }
}

/** Returns whether a string has no control characters. They would only test how messages are quoted. */
function isPrintable(text: string): boolean {
  return !/\p{C}/u.test(text)
}
