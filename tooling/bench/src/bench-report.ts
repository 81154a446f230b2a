import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { BenchOptions } from './bench-options.ts'
import type { ItemResult } from './bench-run.ts'
import { measuredOn } from './measured-on.ts'
import type { MeasuredOn } from './measured-on.ts'

export interface BenchReport extends MeasuredOn {
  readonly options: BenchOptions
  /** Bare as a share of raw node:https. */
  readonly bareOfRaw: number
  readonly items: readonly ItemResult[]
}

const busy = 0.9

export function createReport(options: BenchOptions, bareOfRaw: number, items: readonly ItemResult[]): BenchReport {
  // A credential is no result.
  const shown = options.other === undefined ? options : { ...options, other: { ...options.other, token: '' } }
  return { ...measuredOn(), options: shown, bareOfRaw, items }
}

export function writeReport(report: { readonly time: string }, directory: string): string {
  mkdirSync(directory, { recursive: true })
  const file = path.join(directory, `${report.time.replaceAll(':', '-')}.json`)
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`)
  return file
}

const columns = [
  '',
  'per s',
  'of bare',
  'by cpu',
  'MB/s',
  'p50 ms',
  'p99 ms',
  'cpu s/1000',
  'client',
  'cores',
  'client',
  'RssAnon',
  'peak',
  'counts',
] as const

/** For a terminal. A figure counts only when the server was the busy side. */
export function reportTable(report: BenchReport): string {
  const lines = [
    `${report.cpu}, node ${report.node}, load ${report.loadAverage.map((l) => l.toFixed(1)).join(' ')}; bare is ${percent(report.bareOfRaw)} of raw node:https`,
  ]
  for (const item of report.items) {
    const rows = item.servers.map(({ middle: m, shareOfBare, cpuShareOfBare }) => [
      m.server,
      fixed(m.perSecond, m.perSecond < 100 ? 1 : 0),
      percent(shareOfBare),
      cpuShareOfBare === undefined ? '-' : percent(cpuShareOfBare),
      fixed(m.megabytesPerSecond, 0),
      fixed(m.p50, 2),
      fixed(m.p99, 2),
      fixed(m.serverCpu, 3),
      fixed(m.clientCpu, 3),
      fixed(m.serverCores, 2),
      fixed(m.clientCores, 2),
      fixed(m.rssAnonMiB, 0),
      fixed(m.peakRssMiB, 0),
      verdict(m.serverCores, m.clientCores),
    ])
    const widths = columns.map((column, i) => Math.max(column.length, ...rows.map((row) => row[i]!.length)))
    const line = (cells: readonly string[]): string =>
      cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')
    lines.push('', `${item.title} (${item.unit}, ${item.answerBytes} bytes each)`, line(columns), ...rows.map(line))
  }
  return lines.join('\n')
}

function verdict(serverCores: number | undefined, clientCores: number): string {
  if (serverCores === undefined) return 'unknown'
  if (serverCores >= busy && clientCores < Math.max(busy, serverCores)) return 'yes'
  return clientCores >= busy ? 'no: client busy' : 'no: server not busy'
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
function fixed(value: number | undefined, digits: number): string {
  return value === undefined ? '-' : value.toFixed(digits)
}
