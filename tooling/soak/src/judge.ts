import type { PartResult } from './run-part.ts'

const megabyte = 2 ** 20
export const limits = {
  readP99: 25,
  lagP99: 100,
  gap: 50,
  /** Growth in bytes after the warm-up. */
  heapGrowth: 10 * megabyte,
  rssGrowth: 30 * megabyte,
  /** Share of operations that may be left out because the server or the client was too slow. */
  omitted: 0.01,
  /** Share of the operations of one name that may be skipped because no object is in the state that they need. */
  skipped: 0.1,
} as const

/** Time after which memory must not grow. Until then the history of the store, which has a limit of five minutes, fills up. */
const warmUpSeconds = 6 * 60

/** Number of operations of one name from which their skips are judged. */
const judgedOperations = 20

/** Returns what is wrong with the results of consecutive parts on one server. */
export function judgeSoak(parts: readonly PartResult[]): string[] {
  return [...parts.flatMap(judgePart), ...judgeGrowth(parts)]
}

function judgePart(part: PartResult, index: number): string[] {
  const problems = part.problems.map((problem) => `part ${index + 1}: ${problem}`)
  const judge = (what: string, value: number, limit: number): void => {
    if (value > limit) problems.push(`part ${index + 1}: ${what} is ${value.toFixed(1)} ms, more than ${limit} ms`)
  }
  judge('p99 of GET', part.readP99, limits.readP99)
  judge('p99 of the watch lag', part.lagP99, limits.lagP99)
  judge('the longest gap of the event loop', part.longestGap, limits.gap)
  if (part.omitted > part.requests * limits.omitted) problems.push(`part ${index + 1}: ${part.omitted} operations were left out`)
  for (const [name, { done, skipped, failed }] of Object.entries(part.outcomes)) {
    const started = done + skipped + failed
    const isLost = started >= judgedOperations && skipped > started * limits.skipped
    if (isLost) problems.push(`part ${index + 1}: ${skipped} of ${started} operations "${name}" were skipped`)
    if (failed > 0) problems.push(`part ${index + 1}: ${failed} of ${started} operations "${name}" failed`)
  }
  return problems
}

function judgeGrowth(parts: readonly PartResult[]): string[] {
  let seconds = 0
  const warmUp = parts.findIndex((part) => (seconds += part.seconds) >= warmUpSeconds)
  if (warmUp < 0) return []
  const [first, later] = [parts.slice(0, warmUp + 1), parts.slice(warmUp + 1)]
  return (['heap', 'rss'] as const).flatMap((kind) => {
    const start = Math.max(...first.map((part) => part[kind]))
    const end = Math.max(...later.map((part) => part[kind]), 0)
    if (end - start <= limits[`${kind}Growth`]) return []
    return [`the ${kind} grew from ${formatMegabytes(start)} to ${formatMegabytes(end)}`]
  })
}

export function formatMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(1)} MB`
}
