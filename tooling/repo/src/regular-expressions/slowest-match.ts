import { findWitnesses } from './ambiguity.ts'
import type { Witness } from './ambiguity.ts'

/** Maximum number of repetitions. Texts are then about as long as the largest request. */
const maxRepeats = 60_000
/** Time limit in milliseconds. A linear match of the longest text takes about 1 ms. */
const limitMs = 80
/** Texts that are tried before `prefix`, because some patterns match fast at the start of a text and fail slowly at later positions. */
const beginnings = ['', 'x', '!']
const endings = ['', '!', '\0', '\n', 'x', '"']

/** Finds a text on which the pattern takes more than linear time. Returns undefined if there is none. */
export function findSlowText(pattern: RegExp): (Witness & { readonly ending: string; readonly repeats: number }) | undefined {
  const tried = new Set<string>()
  for (const { prefix: shortest, pump } of findWitnesses(pattern)) {
    for (const prefix of beginnings.map((beginning) => beginning + shortest)) {
      for (const ending of endings) {
        const key = JSON.stringify([prefix, pump, ending])
        if (tried.has(key)) continue
        tried.add(key)
        const repeats = countSlowRepeats(pattern, (count) => prefix + pump.repeat(count) + ending)
        if (repeats !== undefined) return { prefix, pump, ending, repeats }
      }
    }
  }
  return undefined
}

/**
 * Returns the smallest number of repetitions for which a match is too slow. Increases the number in small steps, because an exponential
 * pattern would never end.
 */
function countSlowRepeats(pattern: RegExp, text: (repeats: number) => string): number | undefined {
  for (let repeats = 10; repeats <= maxRepeats; repeats = repeats < 40 ? repeats + 1 : Math.ceil(repeats * 1.5)) {
    const input = text(repeats)
    if (measureMilliseconds(pattern, input) > limitMs && measureMilliseconds(pattern, input) > limitMs) return repeats
  }
  return undefined
}

/** Measures the CPU time of a match in milliseconds. Unlike elapsed time, it does not depend on other processes. */
function measureMilliseconds(pattern: RegExp, text: string): number {
  pattern.lastIndex = 0
  const before = process.cpuUsage()
  pattern.test(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
