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

export function cacheSummary(report: CacheReport): string {
  return `${report.cpu}, node ${report.node}, load ${report.loadAverage.map((l) => l.toFixed(1)).join(' ')}`
}

/** One item, for a terminal. */
export function cacheText(item: CacheResult): string {
  const verdict = item.met ? 'met' : 'MISSED'
  return [`${item.title} (cache/${item.name})`, ...item.lines, `  ${item.reached}; wanted ${item.wanted}: ${verdict}`, ''].join('\n')
}
