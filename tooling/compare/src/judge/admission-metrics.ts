import type { Step } from '../cases/case.ts'
import type { Server } from '../play/server.ts'
import type { Difference } from './first-difference.ts'

export interface DifferentMetric extends Difference {
  readonly want: string
  readonly got: string
}

/** The request for the page of metrics. */
export const metricsStep: Step = { method: 'GET', path: '/metrics' }

/** Compares the metrics of webhooks and policies with these names on two servers. */
export async function compareMetrics(reference: Server, candidate: Server, names: readonly string[]): Promise<DifferentMetric | undefined> {
  const [want, got] = await Promise.all([reference, candidate].map((server) => server.get(metricsStep.path)))
  return findDifferentMetric(want as string, got as string, names)
}

const families = /^apiserver_(admission_webhook|admission_match_condition|validating_admission_policy|mutating_admission_policy)_/

/**
 * Compares the metrics of webhooks and policies on two pages, and returns the first difference. Only series are compared of which a label
 * contains one of the names. Values of counters and counts of histograms must be equal; of buckets and sums, only the labels.
 */
export function findDifferentMetric(want: string, got: string, names: readonly string[]): DifferentMetric | undefined {
  const [wanted, gotten] = [readSeries(want, names), readSeries(got, names)]
  for (const series of new Set([...wanted.keys(), ...gotten.keys()])) {
    if (wanted.get(series) === gotten.get(series)) continue
    const family = series.split('{')[0]!
    return { where: `metric ${family}`, want: formatSeries(series, wanted), got: formatSeries(series, gotten) }
  }
  return undefined
}

function readSeries(page: string, names: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  // A name is followed by a dot or the end of the label, so that one name is not mistaken for a longer one.
  const metricNames = new Set(names)
  for (const line of page.split('\n')) {
    if (!families.test(line)) continue
    const end = line.lastIndexOf('}') + 1
    const series = line.slice(0, end)
    const isNamed = [...series.matchAll(/"([^"]*)"/g)].some(([, value]) => value!.split('.').some((part) => metricNames.has(part)))
    if (!isNamed) continue
    const hasValue = !/^\w+_(bucket|sum)\{/.test(series)
    found.set(series, hasValue ? line.slice(end).trim() : '')
  }
  return found
}

function formatSeries(series: string, found: ReadonlyMap<string, string>): string {
  const value = found.get(series)
  return value === undefined ? 'absent' : `${series} ${value}`.trimEnd()
}
