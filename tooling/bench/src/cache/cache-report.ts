import { machineLine, measuredOn } from '../measured-on.ts'
import type { MeasuredOn } from '../measured-on.ts'
import type { CacheResult } from './bench-cache.ts'

export interface CacheReport extends MeasuredOn {
  readonly items: readonly CacheResult[]
}

export function createCacheReport(items: readonly CacheResult[]): CacheReport {
  return { ...measuredOn(), items }
}

export function cacheSummary(report: CacheReport): string {
  return machineLine(report)
}

/** One item, for a terminal. */
export function cacheText(group: string, item: CacheResult): string {
  const verdict = item.met ? 'met' : 'MISSED'
  return [`${item.title} (${group}/${item.name})`, ...item.lines, `  ${item.reached}; wanted ${item.wanted}: ${verdict}`, ''].join('\n')
}
