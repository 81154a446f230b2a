import { median } from './middle.ts'
import { moreIsBetter } from './item.ts'
import type { Bar, Figure, Unit } from './item.ts'

export const bareSide = 'bare'

export interface Measured {
  readonly unit: Unit
  readonly bar?: Bar | undefined
  /** The sides, Keelson first. Each side has one figure per round, in the same order. */
  readonly sides: readonly { readonly name: string; readonly rounds: readonly Figure[] }[]
}

export interface Verdict {
  /** A share, a ratio or a value in the item's unit, according to the bar. */
  readonly reached: number
  readonly spread: readonly [least: number, most: number]
  /** Whether the values were compared, or only the costs per response because no round counts. */
  readonly by: 'value' | 'processor time'
  readonly met: boolean
}

const busyFrom = 0.9

/** Returns the side that ran at full capacity. */
export function busySide({ serverCores, clientCores }: Figure): 'server' | 'client' | 'neither' | undefined {
  if (serverCores === undefined || clientCores === undefined) return undefined
  if (clientCores >= busyFrom && clientCores >= serverCores) return 'client'
  return serverCores >= busyFrom ? 'server' : 'neither'
}

/** Reports whether a figure shows the speed of the server: the server, not the client, was the bottleneck. */
export function counts(figure: Figure): boolean {
  return busySide(figure) === 'server'
}

/**
 * Returns Keelson's result relative to another side. Values above 1 are better. Compares each round, because other load affects adjacent measurements equally.
 */
export function compare(unit: Unit, ours: readonly Figure[], other: readonly Figure[]): Omit<Verdict, 'met'> {
  const pairs = ours.flatMap((figure, i) => (other[i] === undefined ? [] : [{ ours: figure, other: other[i] }]))
  const counted = pairs.filter((pair) => counts(pair.ours) && counts(pair.other))
  const costs = pairs.map((pair) => (pair.other.serverCpu ?? NaN) / (pair.ours.serverCpu ?? NaN)).filter(Number.isFinite)
  // If the client was the bottleneck, compare the server's costs per response instead of rates.
  const byCost = unit === 'requests/s' || unit === 'events/s' ? counted.length === 0 && costs.length > 0 : false
  const values = (counted.length > 0 ? counted : pairs).map((pair) =>
    moreIsBetter(unit) ? pair.ours.value / pair.other.value : pair.other.value / pair.ours.value,
  )
  return { ...summary(byCost ? costs : values), by: byCost ? 'processor time' : 'value' }
}

export function summary(values: readonly number[]): Pick<Verdict, 'reached' | 'spread'> {
  return { reached: median(values), spread: [Math.min(...values), Math.max(...values)] }
}

/** Returns undefined without a bar. */
export function judge({ unit, bar, sides }: Measured): Verdict | undefined {
  if (bar === undefined) return undefined
  const countRounds = (name: string): readonly Figure[] => sides.find((side) => side.name === name)?.rounds ?? []
  const ours = sides[0]?.rounds ?? []
  switch (bar.type) {
    case 'share': {
      const share = compare(unit, ours, countRounds(bareSide))
      return { ...share, met: share.reached >= bar.least }
    }
    case 'ratio': {
      const to = countRounds(bar.to)
      const ratio = summary(countRounds(bar.of).map(({ value }, i) => value / (to[i]?.value ?? NaN)))
      return { ...ratio, by: 'value', met: ratio.reached <= bar.most }
    }
    case 'least':
    case 'most': {
      const values = summary(ours.map(({ value }) => value))
      return { ...values, by: 'value', met: bar.type === 'least' ? values.reached >= bar.value : values.reached <= bar.value }
    }
  }
}
