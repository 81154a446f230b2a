import { computeMedian } from './middle.ts'
import { isMoreBetter } from './item.ts'
import type { Bar, Figure, Unit } from './item.ts'

export const bareSide = 'bare'

export interface Measured {
  readonly unit: Unit
  readonly bar?: Bar | undefined
  /** The sides, Keelson first. Each side has one figure per round, in the same order. */
  readonly sides: readonly { readonly name: string; readonly rounds: readonly Figure[] }[]
}

export interface Verdict {
  /** The result that is compared with the bar: a share, a ratio or a value in the unit of the item. */
  readonly reached: number
  readonly spread: readonly [least: number, most: number]
  /**
   * The compared quantity: the measured value, or the server's processor time per response. The second is used if the client was the
   * bottleneck in all rounds.
   */
  readonly by: 'value' | 'processor time'
  readonly met: boolean
}

const busyFrom = 0.9

/** Returns the side that used a whole core and therefore limited the result. */
export function findBusySide({ serverCores, clientCores }: Figure): 'server' | 'client' | 'neither' | undefined {
  if (serverCores === undefined || clientCores === undefined) return undefined
  if (clientCores >= busyFrom && clientCores >= serverCores) return 'client'
  return serverCores >= busyFrom ? 'server' : 'neither'
}

/** Returns whether a figure shows the speed of the server. This is so if the server was the bottleneck, and not the client. */
export function isMeaningful(figure: Figure): boolean {
  return findBusySide(figure) === 'server'
}

/**
 * Returns Keelson's result relative to another side. Values above 1 are better. Compares the sides round by round, because other load on
 * the machine affects both measurements of a round.
 */
export function compare(unit: Unit, ours: readonly Figure[], other: readonly Figure[]): Omit<Verdict, 'met'> {
  const pairs = ours.flatMap((figure, i) => (other[i] === undefined ? [] : [{ ours: figure, other: other[i] }]))
  const counted = pairs.filter((pair) => isMeaningful(pair.ours) && isMeaningful(pair.other))
  const costs = pairs.map((pair) => (pair.other.serverCpu ?? NaN) / (pair.ours.serverCpu ?? NaN)).filter(Number.isFinite)
  // If the client was the bottleneck in all rounds, compare the server's processor time per response instead of the rates.
  const byCost = unit === 'requests/s' || unit === 'events/s' ? counted.length === 0 && costs.length > 0 : false
  const values = (counted.length > 0 ? counted : pairs).map((pair) =>
    isMoreBetter(unit) ? pair.ours.value / pair.other.value : pair.other.value / pair.ours.value,
  )
  return { ...summarizeValues(byCost ? costs : values), by: byCost ? 'processor time' : 'value' }
}

export function summarizeValues(values: readonly number[]): Pick<Verdict, 'reached' | 'spread'> {
  return { reached: computeMedian(values), spread: [Math.min(...values), Math.max(...values)] }
}

/** Returns whether the measured sides meet the bar of the item. Returns undefined if the item has no bar. */
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
      const ratio = summarizeValues(countRounds(bar.of).map(({ value }, i) => value / (to[i]?.value ?? NaN)))
      return { ...ratio, by: 'value', met: ratio.reached <= bar.maximum }
    }
    case 'least':
    case 'most': {
      const values = summarizeValues(ours.map(({ value }) => value))
      return { ...values, by: 'value', met: bar.type === 'least' ? values.reached >= bar.value : values.reached <= bar.value }
    }
  }
}
