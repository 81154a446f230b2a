import type { Bar, Figure, Rounds, Unit } from './item.ts'
import { bareSide, findBusySide, compare } from './judge.ts'
import type { Verdict } from './judge.ts'
import { computeMedianFigure } from './middle.ts'
import type { ItemResult, SideResult } from './run-item.ts'

export const formatPercent = (share: number): string => `${(share * 100).toFixed(0)} %`

/** Formats a number with its significant digits. Returns "" for undefined. */
export function number(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return value === 0 ? '0' : String(Number(value.toPrecision(3)))
}

export function formatValue(unit: Unit, value: number): string {
  const [short = ''] = unit.endsWith('/s') ? ['/s'] : [unit]
  return `${number(value)} ${short}`
}

export function formatBar(unit: Unit, bar: Bar): string {
  switch (bar.type) {
    case 'share':
      return `≥ ${formatPercent(bar.least)} of bare`
    case 'ratio':
      return `≤ ${number(bar.maximum)} ×`
    case 'least':
      return `≥ ${formatValue(unit, bar.value)}`
    case 'most':
      return `≤ ${formatValue(unit, bar.value)}`
  }
}

export function formatReached(unit: Unit, bar: Bar, { reached, by }: Verdict): string {
  const shown = bar.type === 'share' ? formatPercent(reached) : bar.type === 'ratio' ? `${number(reached)} ×` : formatValue(unit, reached)
  return `${shown}${by === 'processor time' ? ' by processor time' : ''}`
}

export function formatVerdict({ unit, bar, verdict, before }: ItemResult): string | undefined {
  if (bar === undefined || verdict === undefined) return undefined
  const again =
    before === undefined ? '' : ` (repeated; before ${before.map((earlier) => formatReached(unit, bar, earlier)).join(', then ')})`
  return `${formatReached(unit, bar, verdict)}, ${formatBar(unit, bar)}: ${verdict.met ? 'met' : 'MISSED'}${again}`
}

/** Describes the warm-up time of each side. Returns undefined if no side had a warm-up. */
export function formatWarmUp(sides: readonly SideResult[]): string | undefined {
  const texts = sides.flatMap(({ name, warmUp }) =>
    warmUp === undefined
      ? []
      : [`${name} ${number(warmUp.seconds)} s (${number(warmUp.requests)} requests${warmUp.steady ? '' : ', not steady'})`],
  )
  return texts.length === 0 ? undefined : `warmed: ${texts.join(', ')}`
}

export function formatRounds({ withBar, without }: Rounds): string {
  return withBar === without ? `${withBar} rounds` : `${withBar} rounds, or ${without} for items without a bar,`
}

export const coldColumns = ['first second', 'steady', 'seconds until steady', 'requests until steady'] as const

/** Returns the table cells about newly started servers, one row per side. Leaves out the bare server. */
export function formatColdCells({ unit, cold, sides }: ItemResult): readonly (readonly [side: string, cells: readonly string[]])[] {
  if (cold !== true) return []
  return sides.flatMap(({ name, rounds, warmUp }) => {
    if (name === bareSide || warmUp === undefined) return []
    const { rates, steadyAfter } = warmUp
    const cells = [
      formatValue(unit, rates[0]!),
      formatValue(unit, computeMedianFigure(rounds).value),
      number(steadyAfter.seconds),
      number(steadyAfter.requests),
    ]
    return [[name, cells] as const]
  })
}

/** Marks for figures that do not show the speed of the server. Either the client was the bottleneck, or neither side was busy. */
export const marks = { client: 'c', neither: 'w' } as const
export const markNotes = 'c: the client was the bottleneck; w: neither side was busy'

export function findMark(unit: Unit, figure: Figure): string {
  const side = unit === 'requests/s' || unit === 'events/s' ? findBusySide(figure) : undefined
  return side === 'client' || side === 'neither' ? marks[side] : ''
}

export const columns = [
  'value',
  'spread',
  'of bare',
  'p50 ms',
  'p99 ms',
  'open p50',
  'open p99',
  'CPU s/1000',
  'client',
  'MB/s',
  'bytes/req',
  'RssAnon MiB',
  'peak MiB',
] as const

/** Returns the table cells of one side, in the order of `columns`. */
export function formatCells(item: ItemResult, side: SideResult): readonly string[] {
  const { unit } = item
  const middle = computeMedianFigure(side.rounds)
  const values = side.rounds.map(({ value }) => value)
  const bare = item.sides.find(({ name }) => name === bareSide)
  const share = bare === undefined || bare === side ? undefined : compare(unit, side.rounds, bare.rounds)
  return [
    `${formatValue(unit, middle.value)}${findMark(unit, middle) && ` ${findMark(unit, middle)}`}`,
    values.length > 1 ? `${number(Math.min(...values))}–${number(Math.max(...values))}` : '',
    share === undefined ? '' : `${formatPercent(share.reached)}${share.by === 'value' ? '' : '*'}`,
    ...[
      middle.p50,
      middle.p99,
      side.latency?.p50,
      side.latency?.p99,
      middle.serverCpu,
      middle.clientCpu,
      middle.megabytesPerSecond,
      middle.allocatedBytes,
      middle.rssAnonMiB,
      middle.peakRssMiB,
    ].map((value) => (value === undefined ? '' : number(value))),
  ]
}
