import { machineLine, measuredOn } from '../measured-on.ts'
import type { MeasuredOn } from '../measured-on.ts'
import type { StorageFigure } from './storage-job.ts'
import type { StorageResult } from './storage-run.ts'
import { judge, middleOf, type StorageVerdict } from './storage-verdict.ts'

export interface StorageReport extends MeasuredOn {
  readonly seconds: number
  readonly items: readonly (StorageResult & { readonly verdict: StorageVerdict })[]
}

export function createStorageReport(seconds: number, results: readonly StorageResult[]): StorageReport {
  return {
    ...measuredOn(),
    seconds,
    items: results.map((result) => ({ ...result, verdict: judge(result) })),
  }
}

/** For a terminal. Figures are the middle of the rounds, spreads their least and their most. */
export function storageTable(report: StorageReport): string {
  const lines = [machineLine(report)]
  for (const { item, ours, bare, verdict } of report.items) {
    const { bar } = item
    const shown = bar.type === 'time' ? (value: number) => `${value.toFixed(2)} ms` : percent
    const wanted = bar.type === 'time' ? `at most ${shown(bar.most)}` : `at least ${shown(bar.least)} of bare`
    const spread = `${shown(verdict.rounds[0]!)} to ${shown(verdict.rounds.at(-1)!)}`
    lines.push(
      '',
      item.title,
      row(item.ours, ours),
      row(item.bare, bare),
      `  ${shown(verdict.middle)} (${spread}), ${wanted}: ${verdict.met ? 'met' : 'MISSED'}`,
    )
  }
  return lines.join('\n')
}

function row(name: string, figures: readonly StorageFigure[]): string {
  const rates = figures.map(({ perSecond }) => perSecond)
  const middle = (pick: (figure: StorageFigure) => number, digits = 3): string => middleOf(figures.map(pick)).toFixed(digits)
  const spread = `(${count(Math.min(...rates))} to ${count(Math.max(...rates))})`
  return `  ${name.padEnd(20)} ${count(middleOf(rates)).padStart(9)} /s ${spread.padEnd(24)} p50 ${middle((f) => f.p50)} ms  p99 ${middle((f) => f.p99)} ms  cpu ${middle((f) => f.cpu, 1)} µs`
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`
const count = (value: number): string => Math.round(value).toLocaleString('en')
