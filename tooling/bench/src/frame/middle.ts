import type { Figure } from './item.ts'

/** The one in the middle, or between the two there. NaN of none. */
export function middleOf(values: readonly number[]): number {
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

/** Field by field: a round that was good in one may have been bad in another. */
export function middleFigure(rounds: readonly Figure[]): Figure {
  const known = fields.flatMap((field) => {
    const values = rounds.flatMap((figure) => figure[field] ?? [])
    return values.length === 0 ? [] : [[field, middleOf(values)] as const]
  })
  return { value: NaN, ...Object.fromEntries(known) }
}
