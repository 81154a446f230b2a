import type { RequestInfo } from '@keelson/apimachinery'
import { createCounter, createGauge, createHistogram, memoize } from '@keelson/apimachinery/metrics'
import type { Histogram, MetricsRegistry, Value, ValueVector } from '@keelson/apimachinery/metrics'
import { decideReportedScope, decideReportedVerb } from '@keelson/exchange'
import type { QueryParameters, ReportedRequest } from '@keelson/exchange'

const durationBuckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]
const sliBuckets = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]
const sizeBuckets = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
const [hour, day] = [3600, 86_400]
const certificateBuckets = [
  0,
  0.5 * hour,
  hour,
  2 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  4 * day,
  7 * day,
  30 * day,
  90 * day,
  180 * day,
  360 * day,
]
export interface RequestMetrics {
  observe(request: ObservedRequest, code: number, seconds: number, bytes: number): void
  /** Remaining validity of client certificates, in seconds. */
  readonly clientCertificate: Histogram
  /** Counts a request that the server ended early, for example with 504. */
  countTermination(request: ObservedRequest, code: number): void
  /** Counts a request for another API server that this server answered with an error. */
  countFailedForwarding(request: ObservedRequest, code: number): void
  /** Counts a request that was refused with 429. It is also counted as a completed request. */
  countDrop(request: ObservedRequest): void
  /** Counts a response that was aborted. */
  countAbort(request: ObservedRequest): void
  readonly inFlight: { readonly readOnly: Value; readonly mutating: Value }
  /** Returns the numbers of requests that wait for their turn. */
  createQueueGauges(): { readonly readOnly: Value; readonly mutating: Value }
  /** Returns the gauge of running long-running requests with the labels of this request. */
  getLongRunningGauge(request: ObservedRequest): Value
  readonly handshakeErrors: Value
}

interface Series {
  readonly duration: Histogram
  /** Durations for service level indicators. Undefined for watches and dry runs. */
  readonly sliDuration: Histogram | undefined
  /** Sizes of responses to read requests. Undefined for writes. */
  readonly sizes: Histogram | undefined
  readonly byCode: Map<number, Value>
  /** Running requests by the label `scope`, which is "resource" for a watch of one object, unlike the scope of its route. */
  readonly longRunning: Map<string, Value>
  readonly labels: RequestLabels
}

/**
 * Registers the request metrics. `isServed` returns whether the server has the resource or path of a request. Other requests are not
 * counted, and their failures are counted without names, because names that clients invent would exhaust the memory.
 */
export function createRequestMetrics(registry: MetricsRegistry, isServed: (attributes: RequestInfo) => boolean): RequestMetrics {
  const total = registry.register(
    createCounter(
      'apiserver_request_total',
      '[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
    ),
  )
  const duration = registry.register(
    createHistogram(
      'apiserver_request_duration_seconds',
      '[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
      durationBuckets,
    ),
  )
  const sliDuration = registry.register(
    createHistogram(
      'apiserver_request_sli_duration_seconds',
      '[ALPHA] Response latency distribution in seconds for each verb, group, version, resource, subresource, scope and component, without the time in webhooks and queues, and without watches and dry runs.',
      sliBuckets,
    ),
  )
  registry.register(
    sliDuration.alias(
      'apiserver_request_slo_duration_seconds',
      '[ALPHA] (Deprecated since 1.27.0) The same as apiserver_request_sli_duration_seconds.',
    ),
  )
  const sizes = registry.register(
    createHistogram(
      'apiserver_response_sizes',
      '[STABLE] Sizes of answers to reads in bytes, for each verb, group, version, resource, subresource, scope and component.',
      sizeBuckets,
    ),
  )
  const certificates = registry.register(
    createHistogram(
      'apiserver_client_certificate_expiration_seconds',
      '[ALPHA] The time that was left to certificates that clients showed.',
      certificateBuckets,
    ),
  )
  const terminations = registry.register(
    createCounter('apiserver_request_terminations_total', '[ALPHA] Number of requests which apiserver terminated in self-defense.'),
  )
  const aborts = registry.register(
    createCounter('apiserver_request_aborts_total', '[ALPHA] Number of requests that were broken off in the middle of their answer.'),
  )
  const inFlight = registry.register(
    createGauge('apiserver_current_inflight_requests', '[STABLE] Requests that are being served now, per request kind.'),
  )
  const inQueue = registry.register(
    createGauge('apiserver_current_inqueue_requests', '[ALPHA] Requests that wait for their turn now, per request kind.'),
  )
  const longRunning = registry.register(
    createGauge(
      'apiserver_longrunning_requests',
      '[STABLE] Long-running requests that are being served now, by verb, group, version, resource, subresource, scope and component.',
    ),
  )
  const handshakeErrors = registry.register(
    createCounter(
      'apiserver_tls_handshake_errors_total',
      '[ALPHA] Number of connections that were dropped because of an error in the TLS handshake.',
    ),
  )
  /** Series by resource or path. A linear search in the few series of a resource costs less than building a key for each request. */
  const series = new Map<string, Series[]>()
  const uncounted: Value = { value: 0 }
  const rare = new Map<string, Value>()
  /** Names of resources and paths of other API servers that have been counted. */
  const forwardedNames = new Set<string>()

  function resolveSeries(request: ObservedRequest): Series | undefined {
    const labels = createLabels(request)
    const first = labels.resource === '' ? labels.subresource : labels.resource
    const candidates = series.get(first)
    const existing = candidates === undefined ? undefined : findSeries(candidates, labels)
    if (existing !== undefined) return existing
    if (!isServed(request.attributes)) return undefined
    const { dry_run: _, ...sliLabels } = labels
    const entry = {
      duration: duration.with(labels),
      sliDuration: labels.verb === 'WATCH' || labels.dry_run !== '' ? undefined : sliDuration.with(sliLabels),
      sizes: hasMeasuredSize(labels) ? sizes.with(sliLabels) : undefined,
      byCode: new Map(),
      longRunning: new Map(),
      labels,
    }
    if (candidates === undefined) series.set(first, [entry])
    else candidates.push(entry)
    return entry
  }

  function findCounter(entry: Series, code: number): Value {
    let count = entry.byCode.get(code)
    if (count === undefined) entry.byCode.set(code, (count = total.with({ ...entry.labels, code: String(code) })))
    return count
  }

  function createServedLabels(request: ObservedRequest): RequestLabels {
    const labels = createLabels(request)
    return isServed(request.attributes) ? labels : { ...labels, ...noNames }
  }

  /** Returns the labels of a request for another API server. Its resources are not known here, so only a limited number of names is counted. */
  function createForwardedLabels(request: ObservedRequest): RequestLabels {
    const labels = { ...createLabels(request), component: 'aggregator' }
    const name = `${labels.group}/${labels.version}/${labels.resource}/${labels.subresource}`
    if (forwardedNames.has(name)) return labels
    if (forwardedNames.size >= maxForwardedNames) return { ...labels, ...noNames }
    forwardedNames.add(name)
    return labels
  }

  /** Counts an event that is rare enough to look its series up each time. */
  function countRare(name: string, counter: ValueVector, labels: Readonly<Record<string, string>>): void {
    const key = `${name} ${formatName(labels)}`
    let count = rare.get(key)
    if (count === undefined) rare.set(key, (count = counter.with(labels)))
    count.value++
  }

  function countTerminated(requestLabels: RequestLabels, code: number): void {
    const { dry_run: _, ...labels } = requestLabels
    countRare(`terminated ${labels.component} ${code}`, terminations, { ...labels, code: String(code) })
  }

  return {
    createQueueGauges: memoize(() => ({
      readOnly: inQueue.with({ request_kind: 'readOnly' }),
      mutating: inQueue.with({ request_kind: 'mutating' }),
    })),
    inFlight: { readOnly: inFlight.with({ request_kind: 'readOnly' }), mutating: inFlight.with({ request_kind: 'mutating' }) },
    getLongRunningGauge: (request) => {
      const entry = resolveSeries(request)
      if (entry === undefined) return uncounted
      const scope = decideReportedScope(request.attributes)
      let running = entry.longRunning.get(scope)
      if (running === undefined) {
        const { dry_run: _, ...labels } = entry.labels
        entry.longRunning.set(scope, (running = longRunning.with({ ...labels, scope })))
      }
      return running
    },
    handshakeErrors: handshakeErrors.with({}),
    clientCertificate: certificates.with({}),
    observe: (request, code, seconds, bytes) => {
      const entry = resolveSeries(request)
      if (entry === undefined) return
      findCounter(entry, code).value++
      entry.duration.observe(seconds)
      entry.sliDuration?.observe(seconds - (request.excludedMs ?? 0) / 1000)
      entry.sizes?.observe(bytes)
    },
    countTermination: (request, code) => countTerminated({ ...createServedLabels(request), component }, code),
    countFailedForwarding: (request, code) => countTerminated(createForwardedLabels(request), code),
    countDrop: (request) => {
      countTerminated({ ...createServedLabels(request), component }, 429)
      const entry = request.attributes.isResourceRequest ? resolveSeries(request) : undefined
      if (entry !== undefined) findCounter(entry, 429).value++
      else total.with({ ...createServedLabels(request), subresource: '', component, code: '429' }).value++
    },
    countAbort: (request) => {
      const { dry_run: _, component: __, ...labels } = createServedLabels(request)
      countRare('aborted', aborts, labels)
    },
  }
}

/** Finds the series with these labels. Moves it one position forward, so that frequently used series are found sooner. */
function findSeries(candidates: Series[], labels: RequestLabels): Series | undefined {
  for (let i = 0; i < candidates.length; i++) {
    const entry = candidates[i]!
    if (!haveSameLabels(entry.labels, labels)) continue
    if (i > 0) {
      candidates[i] = candidates[i - 1]!
      candidates[i - 1] = entry
    }
    return entry
  }
  return undefined
}

const knownVerbs: ReadonlySet<string> = new Set(['GET', 'LIST', 'WATCH', 'POST', 'PUT', 'PATCH', 'APPLY', 'DELETE', 'CONNECT'])
const component = 'apiserver'
const noNames = { group: '', version: '', resource: '', subresource: '' } as const
/** Maximum number of names of resources and paths of other API servers in the metrics. Clients can invent such names. */
const maxForwardedNames = 500
/** Label `subresource` of the paths that are counted although they have no resource. */
const countedPaths: ReadonlyMap<string, string> = new Map([
  ['/healthz', '/healthz'],
  ['/livez', '/livez'],
  ['/readyz', '/readyz'],
  ['/openapi/v3', 'openapi/v3'],
])

/** Returns whether a request is included in the metrics. */
export function isObserved(attributes: RequestInfo): boolean {
  return attributes.isResourceRequest || countedPaths.has(attributes.path)
}

export interface ObservedRequest extends ReportedRequest {
  readonly attributes: RequestInfo
  /** Milliseconds that do not count for service level indicators. */
  readonly excludedMs?: number
}

/** Labels of the request metrics. */
interface RequestLabels extends Readonly<Record<string, string>> {
  readonly verb: string
  readonly dry_run: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly scope: string
  readonly component: string
}

function createLabels(request: ObservedRequest): RequestLabels {
  const { attributes } = request
  if (!attributes.isResourceRequest) {
    return {
      verb: decideVerb(request, ''),
      dry_run: '',
      group: '',
      version: '',
      resource: '',
      subresource: countedPaths.get(attributes.path) ?? attributes.path,
      scope: '',
      // The counted paths of kube-apiserver have no component.
      component: countedPaths.has(attributes.path) ? '' : component,
    }
  }
  const scope = decideRouteScope(attributes)
  return {
    verb: decideVerb(request, scope),
    dry_run: formatDryRun(request.query),
    group: attributes.apiGroup,
    version: attributes.apiVersion,
    resource: attributes.resource,
    subresource: attributes.subresource,
    scope,
    component,
  }
}

/** Returns whether the sizes of these responses are measured: those of routes for reading. */
function hasMeasuredSize({ verb, subresource }: RequestLabels): boolean {
  return verb === 'GET' || verb === 'LIST' || verb === 'WATCH' || (verb === 'CONNECT' && subresource === 'log')
}

/** Returns the scope of the route of a request. The name in a field selector has no influence on the route. */
function decideRouteScope(attributes: RequestInfo): string {
  const isCollection =
    attributes.verb === 'list' ||
    attributes.verb === 'deletecollection' ||
    (attributes.verb === 'watch' && !attributes.path.includes('/watch/'))
  return isCollection ? (attributes.namespace === '' ? 'cluster' : 'namespace') : decideReportedScope(attributes)
}

/** Returns the label `verb`. Deprecated paths such as `/api/v1/watch/pods` are watches too. Methods that clients invent share a label. */
function decideVerb(request: ObservedRequest, scope: string): string {
  if (request.attributes.verb === 'watch') return 'WATCH'
  const verb = decideReportedVerb(request, scope)
  return knownVerbs.has(verb) ? verb : 'other'
}

function formatDryRun(query: QueryParameters): string {
  if (!query.has('dryRun')) return ''
  const values = new Set(query.getAll('dryRun'))
  for (const value of values) if (value !== 'All') return 'invalid'
  return [...values].join(',')
}

function haveSameLabels(a: RequestLabels, b: RequestLabels): boolean {
  return (
    a.verb === b.verb &&
    a.resource === b.resource &&
    a.subresource === b.subresource &&
    a.scope === b.scope &&
    a.version === b.version &&
    a.group === b.group &&
    a.dry_run === b.dry_run
  )
}

function formatName(labels: Readonly<Record<string, string>>): string {
  const { verb, dry_run: dryRun = '', group, version, resource, subresource, scope } = labels
  return `${verb} ${dryRun} ${group}/${version}/${resource}/${subresource} ${scope}`
}
