import { machineLine, measuredOn } from '../measured-on.ts'
import type { MeasuredOn } from '../measured-on.ts'
import type { StorageFigure } from '../storage/storage-job.ts'
import { middleOf } from '../storage/storage-verdict.ts'
import type { RegistryItem } from './registry-items.ts'

export interface RegistryResult {
  readonly item: RegistryItem
  /** One of each round. */
  readonly figures: readonly StorageFigure[]
}

export interface RegistryVerdict {
  /** Of each round, in ascending order: writes in a second, or microseconds of one step. */
  readonly rounds: readonly number[]
  /** The one in the middle. It decides. */
  readonly middle: number
  /** Undefined without a bar. */
  readonly met: boolean | undefined
}

export interface RegistryReport extends MeasuredOn {
  readonly seconds: number
  readonly items: readonly (RegistryResult & { readonly verdict: RegistryVerdict })[]
}

export function judgeRegistry({ item, figures }: RegistryResult): RegistryVerdict {
  const rounds = figures.map(({ perSecond, cpu }) => (item.unit === 'rate' ? perSecond : cpu)).toSorted((a, b) => a - b)
  const middle = middleOf(rounds)
  return { rounds, middle, met: item.bar === undefined ? undefined : item.unit === 'rate' ? middle >= item.bar : middle <= item.bar }
}

export function createRegistryReport(seconds: number, results: readonly RegistryResult[]): RegistryReport {
  return {
    ...measuredOn(),
    seconds,
    items: results.map((result) => ({ ...result, verdict: judgeRegistry(result) })),
  }
}

/** For a terminal. Figures are the middle of the rounds, spreads their least and their most. */
export function registryTable(report: RegistryReport): string {
  const lines = [machineLine(report)]
  for (const { item, figures, verdict } of report.items) {
    const shown = item.unit === 'rate' ? (value: number) => `${Math.round(value).toLocaleString('en')} /s` : microseconds
    const cpu = item.unit === 'rate' ? `, cpu ${microseconds(middleOf(figures.map((figure) => figure.cpu)))}` : ''
    const spread = `${shown(verdict.rounds[0]!)} to ${shown(verdict.rounds.at(-1)!)}`
    const wanted =
      item.bar === undefined ? '' : `, at ${item.unit === 'rate' ? 'least' : 'most'} ${shown(item.bar)}: ${verdict.met ? 'met' : 'MISSED'}`
    lines.push('', item.title, `  ${shown(verdict.middle)} (${spread})${cpu}${wanted}`)
  }
  return lines.join('\n')
}

const microseconds = (value: number): string => `${value.toFixed(1)} µs`
