import { witnessesOf } from './ambiguity.ts'
import type { Witness } from './ambiguity.ts'

/** As long as a request may be, or nearly. */
const maxRepeats = 60_000
/** Linear work on such a text takes a hundredth of it. */
const tooLong = 80
/** Some patterns match at the start of a text, and fail slowly only at later positions. */
const beginnings = ['', 'x', '!']
const endings = ['', '!', '\0', '\n', 'x', '"']

/** A text, as `prefix`, `pump` and ending, on which the pattern takes more than linear time; undefined when none was found. */
export function slowText(pattern: RegExp): (Witness & { readonly ending: string; readonly repeats: number }) | undefined {
  const tried = new Set<string>()
  for (const { prefix: shortest, pump } of witnessesOf(pattern)) {
    for (const prefix of beginnings.map((beginning) => beginning + shortest)) {
      for (const ending of endings) {
        const key = JSON.stringify([prefix, pump, ending])
        if (tried.has(key)) continue
        tried.add(key)
        const repeats = slowRepeats(pattern, (count) => prefix + pump.repeat(count) + ending)
        if (repeats !== undefined) return { prefix, pump, ending, repeats }
      }
    }
  }
  return undefined
}

/** Grows the text slowly where an exponential pattern would never end. */
function slowRepeats(pattern: RegExp, text: (repeats: number) => string): number | undefined {
  for (let repeats = 10; repeats <= maxRepeats; repeats = repeats < 40 ? repeats + 1 : Math.ceil(repeats * 1.5)) {
    const input = text(repeats)
    if (milliseconds(pattern, input) > tooLong && milliseconds(pattern, input) > tooLong) return repeats
  }
  return undefined
}

/** Of the processor, so that a busy machine does not matter. */
function milliseconds(pattern: RegExp, text: string): number {
  pattern.lastIndex = 0
  const before = process.cpuUsage()
  pattern.test(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
