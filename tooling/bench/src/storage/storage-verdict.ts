import type { StorageResult } from './storage-run.ts'

export interface StorageVerdict {
  /** Of each round, in ascending order: ours as a share of bare, or for a time the milliseconds of one. */
  readonly rounds: readonly number[]
  /** The one in the middle. It decides. */
  readonly middle: number
  readonly met: boolean
}

/** A share is taken within a round, between neighbours in time: other load on the machine hits both. */
export function judge({ item, ours, bare }: StorageResult): StorageVerdict {
  const { bar } = item
  const rounds = ours.map((own, i) => (bar.type === 'time' ? own.p50 : own.perSecond / bare[i]!.perSecond)).toSorted((a, b) => a - b)
  const middle = middleOf(rounds)
  return { rounds, middle, met: bar.type === 'time' ? middle <= bar.most : middle >= bar.least }
}

export function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(half)]! : (sorted[half - 1]! + sorted[half]!) / 2
}
