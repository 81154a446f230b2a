import { cpus, loadavg } from 'node:os'
import type { CacheResult } from './bench-cache.ts'

export interface CacheReport {
  readonly time: string
  readonly node: string
  readonly cpu: string
  readonly loadAverage: readonly number[]
  readonly items: readonly CacheResult[]
}

export function createCacheReport(items: readonly CacheResult[]): CacheReport {
  const cpu = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`
  return { time: new Date().toISOString(), node: process.version, cpu, loadAverage: loadavg(), items }
}

/** For a terminal. */
export function cacheTable(report: CacheReport): string {
  const lines = [`${report.cpu}, node ${report.node}, load ${report.loadAverage.map((l) => l.toFixed(1)).join(' ')}`]
  for (const item of report.items) {
    const verdict = item.met === undefined ? 'does not count' : item.met ? 'met' : 'MISSED'
    lines.push('', `${item.title} (cache/${item.name})`, ...item.lines, `  ${item.reached}; wanted ${item.wanted}: ${verdict}`)
  }
  return lines.join('\n')
}
