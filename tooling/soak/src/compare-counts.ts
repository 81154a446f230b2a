import type { Labels, MetricsPage } from '@keelson/tooling-e2e/metrics-page'
import type { RequestLabels } from './counted-client.ts'
import type { Tally } from './tally.ts'

/** The pages of metrics before and after a load. */
export interface Pages {
  readonly before: MetricsPage
  readonly after: MetricsPage
}

export interface ExpectedState {
  /** Watches that were open at the time of the second page, by resource. */
  readonly openWatches: ReadonlyMap<string, number>
  /** Requests outside the tally whose user was authenticated between the two pages. */
  readonly otherRequests: number
}

/** Compares the server's metrics with what the clients counted. Returns the differences. */
export function compareCounts(pages: Pages, tally: Tally, state: ExpectedState): string[] {
  return [
    ...compareRequests(pages, tally),
    ...compareEvents(pages, tally),
    ...compareOpenWatches(pages.after, state),
    ...compareTotals(pages, tally, state),
    ...findDecreases(pages),
  ]
}

const requestTotal = 'apiserver_request_total'
const labelNames: readonly (keyof RequestLabels)[] = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'dry_run']

function readDelta({ before, after }: Pages, name: string, labels: Labels = {}): number {
  return after.sum(name, labels) - before.sum(name, labels)
}

function compareRequests(pages: Pages, tally: Tally): string[] {
  const differences: string[] = []
  const compare = (name: string, labels: Labels, want: number): void => {
    const got = readDelta(pages, name, labels)
    if (got !== want) differences.push(`${name}${formatLabels(labels)} counted ${got}, the clients ${want}`)
  }
  for (const { labels, byCode, bytes } of tally.kinds.values()) {
    let count = 0
    for (const [code, times] of byCode) {
      compare(requestTotal, { ...labels, code: String(code) }, times)
      count += times
    }
    const { dry_run: dryRun, ...sliLabels } = labels
    compare('apiserver_request_duration_seconds_count', { ...labels }, count)
    // The histograms without the label dry_run are compared for the kinds of request that exist without dry runs only.
    if (dryRun !== '') continue
    if (labels.verb !== 'WATCH') compare('apiserver_request_sli_duration_seconds_count', sliLabels, count)
    if (!['GET', 'LIST', 'WATCH'].includes(labels.verb)) continue
    compare('apiserver_response_sizes_count', sliLabels, count)
    compare('apiserver_response_sizes_sum', sliLabels, bytes)
  }
  const formatKey = (labels: Labels): string => [...labelNames, 'code'].map((name) => labels[name]).join(' ')
  const counted = new Set(
    [...tally.kinds.values()].flatMap(({ labels, byCode }) =>
      [...byCode.keys()].map((code) => formatKey({ ...labels, code: String(code) })),
    ),
  )
  for (const { labels } of pages.after.samples(requestTotal)) {
    const got = readDelta(pages, requestTotal, labels)
    if (!counted.has(formatKey(labels)) && got !== 0)
      differences.push(`${requestTotal}${formatLabels(labels)} counted ${got}, the clients sent no such request`)
  }
  return differences
}

function compareEvents(pages: Pages, tally: Tally): string[] {
  const differences: string[] = []
  const compare = (name: string, resource: string, want: number): void => {
    const got = readDelta(pages, name, { resource })
    if (got !== want) differences.push(`${name}{resource="${resource}"} counted ${got}, the clients ${want}`)
  }
  for (const [resource, { events, bytes }] of tally.events) {
    compare('apiserver_watch_events_total', resource, events)
    compare('apiserver_watch_events_sizes_count', resource, events)
    const sizes = readDelta(pages, 'apiserver_watch_events_sizes_sum', { resource })
    // A sum of averages of floating-point numbers.
    if (Math.abs(sizes - bytes) > 1)
      differences.push(`apiserver_watch_events_sizes_sum{resource="${resource}"}: ${sizes}, clients ${bytes}`)
  }
  for (const [resource, changes] of tally.changes) compare('apiserver_storage_events_received_total', resource, changes)
  return differences
}

/** Compares the numbers of stored objects by resource, such as "widgets.soak.example.com". The server counts them once a minute. */
export function compareObjectCounts(page: MetricsPage, objects: ReadonlyMap<string, number>): string[] {
  const differences: string[] = []
  for (const [qualified, want] of objects) {
    const [resource = ''] = qualified.split('.', 1)
    const counts = {
      apiserver_storage_objects: page.sum('apiserver_storage_objects', { resource: qualified }),
      apiserver_resource_objects: page.sum('apiserver_resource_objects', { resource }),
    }
    for (const [name, got] of Object.entries(counts))
      if (got !== want) differences.push(`${name}{resource="${qualified}"} is ${got}, there are ${want}`)
  }
  return differences
}

function compareOpenWatches(after: MetricsPage, { openWatches }: ExpectedState): string[] {
  const differences: string[] = []
  for (const [resource, want] of openWatches) {
    const got = after.sum('apiserver_longrunning_requests', { resource, verb: 'WATCH' })
    if (got !== want) differences.push(`apiserver_longrunning_requests{resource="${resource}"} is ${got}, ${want} watches are open`)
  }
  return differences
}

/** Counters of failures, which must not change. */
const failureCounters = [
  'apiserver_request_terminations_total',
  'apiserver_request_aborts_total',
  'apiserver_tls_handshake_errors_total',
  'apiserver_terminated_watchers_total',
  'etcd_request_errors_total',
] as const

function compareTotals(pages: Pages, tally: Tally, { otherRequests }: ExpectedState): string[] {
  const differences: string[] = []
  const compare = (name: string, labels: Labels, want: number): void => {
    const got = readDelta(pages, name, labels)
    if (got !== want) differences.push(`${name}${formatLabels(labels)} counted ${got}, the clients ${want}`)
  }
  const requests = tally.requests + otherRequests
  compare('authentication_attempts', { result: 'success' }, requests)
  compare('authenticated_user_requests', {}, requests)
  compare('authorization_attempts_total', { result: 'allowed' }, requests)
  compare('kubernetes_healthchecks_total', { type: 'readyz', name: 'ping', status: 'success' }, tally.readyChecks)
  for (const name of failureCounters) compare(name, {}, 0)
  return differences
}

/** Finds counters and buckets that have decreased. */
function findDecreases({ before, after }: Pages): string[] {
  const isCounter = (name: string): boolean => {
    const family = name.replace(/_(?:bucket|count|sum)$/, '')
    return before.types.get(name) === 'counter' || (family !== name && before.types.get(family) === 'histogram')
  }
  return [...before.names()].filter(isCounter).flatMap((name) => {
    const later = new Map(after.samples(name).map(({ labels, value }) => [formatLabels(labels), value]))
    return before
      .samples(name)
      .filter(({ labels, value }) => !(later.get(formatLabels(labels))! >= value))
      .map(({ labels, value }) => `${name}${formatLabels(labels)} was ${value} and is ${later.get(formatLabels(labels))}`)
  })
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
