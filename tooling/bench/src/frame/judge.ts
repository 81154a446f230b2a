import { middleOf } from './middle.ts'
import { moreIsBetter } from './item.ts'
import type { Bar, Figure, Unit } from './item.ts'

export const bareSide = 'bare'

export interface Measured {
  readonly unit: Unit
  readonly bar?: Bar | undefined
  /** Ours first; each with a figure of each round, in the same order. */
  readonly sides: readonly { readonly name: string; readonly rounds: readonly Figure[] }[]
}

export interface Verdict {
  /** A share, a ratio, or a value in the item's unit: what the bar is about. */
  readonly reached: number
  readonly spread: readonly [least: number, most: number]
  /** Whether the rates themselves were compared, or only what an answer costs, since none of the rounds counts. */
  readonly by: 'value' | 'processor time'
  readonly met: boolean
}

const busyFrom = 0.9

/** Which side had nothing left to give. */
export function busySide({ serverCores, clientCores }: Figure): 'server' | 'client' | 'neither' | undefined {
  if (serverCores === undefined || clientCores === undefined) return undefined
  if (clientCores >= busyFrom && clientCores >= serverCores) return 'client'
  return serverCores >= busyFrom ? 'server' : 'neither'
}

/** A figure says of a server how fast it is only where the server, and not the client, was what could not go faster. */
export function counts(figure: Figure): boolean {
  return busySide(figure) === 'server'
}

/** Of what ours reaches of another side, round by round: neighbours in time, so that other load on the machine hits both. Above 1 is better. */
export function compare(unit: Unit, ours: readonly Figure[], other: readonly Figure[]): Omit<Verdict, 'met'> {
  const pairs = ours.flatMap((figure, i) => (other[i] === undefined ? [] : [{ ours: figure, other: other[i] }]))
  const counted = pairs.filter((pair) => counts(pair.ours) && counts(pair.other))
  const costs = pairs.map((pair) => (pair.other.serverCpu ?? NaN) / (pair.ours.serverCpu ?? NaN)).filter(Number.isFinite)
  // Where the client cannot take as much as there is, rates say more of the client: what each answer costs the server is left to go by.
  const byCost = unit === 'requests/s' || unit === 'events/s' ? counted.length === 0 && costs.length > 0 : false
  const values = (counted.length > 0 ? counted : pairs).map((pair) =>
    moreIsBetter(unit) ? pair.ours.value / pair.other.value : pair.other.value / pair.ours.value,
  )
  return { ...summary(byCost ? costs : values), by: byCost ? 'processor time' : 'value' }
}

export function summary(values: readonly number[]): Pick<Verdict, 'reached' | 'spread'> {
  return { reached: middleOf(values), spread: [Math.min(...values), Math.max(...values)] }
}

/** Undefined where there is no bar. */
export function judge({ unit, bar, sides }: Measured): Verdict | undefined {
  if (bar === undefined) return undefined
  const roundsOf = (name: string): readonly Figure[] => sides.find((side) => side.name === name)?.rounds ?? []
  const ours = sides[0]?.rounds ?? []
  switch (bar.type) {
    case 'share': {
      const share = compare(unit, ours, roundsOf(bareSide))
      return { ...share, met: share.reached >= bar.least }
    }
    case 'ratio': {
      const to = roundsOf(bar.to)
      const ratio = summary(roundsOf(bar.of).map(({ value }, i) => value / (to[i]?.value ?? NaN)))
      return { ...ratio, by: 'value', met: ratio.reached <= bar.most }
    }
    case 'least':
    case 'most': {
      const values = summary(ours.map(({ value }) => value))
      return { ...values, by: 'value', met: bar.type === 'least' ? values.reached >= bar.value : values.reached <= bar.value }
    }
  }
}
