import { quote } from '@keelson/apimachinery'

export type Interval = readonly [first: number, last: number]

/** Result of parsing a list like "0,2-4": the number of indexes, or an error message. */
export type ParsedIndexes = { readonly count: number } | { readonly error: string }

export function parseIndexes(text: string, completions: number): ParsedIndexes {
  if (text === '') return { count: 0 }
  let count = 0
  let last: number | undefined
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions)
    if (typeof interval === 'string') return { error: interval }
    if (last !== undefined && last >= interval[0]) return { error: formatNotIncreasing(last, interval[0]) }
    last = interval[1]
    count += interval[1] - interval[0] + 1
  }
  return { count }
}

/** Returns the first index that is in both lists. Ignores invalid intervals. */
export function findFirstOverlap(text: string, other: string, completions: number): number | undefined {
  if (text === '' || other === '') return undefined
  const parseIntervals = (list: string): Interval[] =>
    list.split(',').flatMap((part) => {
      const interval = parseInterval(part, completions)
      return typeof interval === 'string' ? [] : [interval]
    })
  const [left, right] = [parseIntervals(text), parseIntervals(other)]
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const [[x, y], [u, v]] = [left[i]!, right[j]!]
    if (x <= v && u <= y) return Math.max(x, u)
    if (x <= u) i++
    else j++
  }
  return undefined
}

/** Parses an interval. Returns an error message if the text is invalid. */
function parseInterval(text: string, completions: number): Interval | string {
  const limits = text.split('-')
  if (limits.length > 2) {
    return `the fragment ${quote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`
  }
  const numbers: number[] = []
  for (const limit of limits) {
    if (!/^\+?[0-9]+$/.test(limit)) return `cannot convert string to integer for index: ${quote(limit)}`
    if (Number(limit) >= completions) return `too large index: ${quote(limit)}`
    numbers.push(Number(limit))
  }
  const [first = 0, last] = numbers
  if (last === undefined) return [first, first]
  return first >= last ? formatNotIncreasing(first, last) : [first, last]
}

function formatNotIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`
}
