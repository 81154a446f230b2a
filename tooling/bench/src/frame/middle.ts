import type { Figure } from './item.ts'

/** Returns the median, or NaN for no values. */
export function computeMedian(values: readonly number[]): number {
  if (values.length === 0) return NaN
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(half)]! : (sorted[half - 1]! + sorted[half]!) / 2
}

const fields = [
  'value',
  'p50',
  'p99',
  'megabytesPerSecond',
  'serverCpu',
  'clientCpu',
  'serverCores',
  'clientCores',
  'rssAnonMiB',
  'peakRssMiB',
  'allocatedBytes',
] as const satisfies readonly (keyof Figure)[]

/**
 * Returns a figure whose fields are medians. The median of each field is computed separately, because a round can be good in one field and
 * bad in another.
 */
export function computeMedianFigure(rounds: readonly Figure[]): Figure {
  const medians = fields.flatMap((field) => {
    const values = rounds.flatMap((figure) => figure[field] ?? [])
    return values.length === 0 ? [] : [[field, computeMedian(values)] as const]
  })
  return { value: NaN, ...Object.fromEntries(medians) }
}
