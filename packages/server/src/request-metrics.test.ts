import type { RequestInfo } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, test } from 'vitest'
import { parseQuery, parseRequestInfo, parseTarget } from '@keelson/exchange'
import type { ObservedRequest } from './request-metrics.ts'
import { createRequestMetrics } from './request-metrics.ts'

function parseInfo(method: string, url: string): RequestInfo {
  const target = parseTarget(url)
  return parseRequestInfo(method, target, parseQuery(target.query))
}

const createObservedRequest = (target: string): ObservedRequest => ({
  attributes: parseInfo('GET', target),
  method: 'GET',
  query: parseQuery(parseTarget(target).query),
  contentType: undefined,
})

const servedNames = new Set(['pods', '/readyz', '/a', '/b'])
const isServed = (attributes: RequestInfo): boolean => servedNames.has(attributes.isResourceRequest ? attributes.resource : attributes.path)

test('adds no metrics for unknown names of clients, and counts requests for served resources', () => {
  const registry = createMetricsRegistry()
  const metrics = createRequestMetrics(registry, isServed)
  const observeFailure = (target: string): void => {
    metrics.countTermination(createObservedRequest(target), 504)
    metrics.countAbort(createObservedRequest(target))
    metrics.countDrop(createObservedRequest(target))
    metrics.observe(createObservedRequest(target), 404, 0.001, 0)
    metrics.getLongRunningGauge(createObservedRequest(target)).value++
  }
  for (const target of ['/x', '/api/v1/x', '/api/v1/namespaces/n/x/y', '/api/v1/namespaces/n/x']) observeFailure(target)
  const lineCount = registry.text().split('\n').length
  for (let i = 0; i < 6000; i++) for (const target of [`/x${i}`, `/api/v1/x${i}`]) observeFailure(target)
  expect(registry.text().split('\n')).toHaveLength(lineCount)
  expect(registry.text()).toMatch(/^apiserver_request_total\{code="429",[^}]*resource="",[^}]*subresource="",[^}]*\} \d{4,}$/m)
  metrics.observe(createObservedRequest('/api/v1/pods'), 200, 0.001, 0)
  expect(registry.text()).toMatch(/^apiserver_request_total\{code="200",[^}]*resource="pods"[^}]*\} 1$/m)
})

test('excludes the time in webhooks and queues from service level indicators', () => {
  const registry = createMetricsRegistry()
  createRequestMetrics(registry, isServed).observe({ ...createObservedRequest('/api/v1/pods'), excludedMs: 1500 }, 200, 2, 0)
  expect(registry.text()).toMatch(/^apiserver_request_duration_seconds_sum\{[^}]*\} 2$/m)
  expect(registry.text()).toMatch(/^apiserver_request_sli_duration_seconds_sum\{[^}]*\} 0.5$/m)
})

test('measures the sizes of read responses', () => {
  const registry = createMetricsRegistry()
  const metrics = createRequestMetrics(registry, isServed)
  metrics.observe(createObservedRequest('/api/v1/pods'), 200, 0.001, 20_000)
  metrics.observe(createObservedRequest('/api/v1/pods?watch=1'), 200, 0.001, 5)
  metrics.observe(
    { ...createObservedRequest('/api/v1/pods'), attributes: parseInfo('POST', '/api/v1/pods'), method: 'POST' },
    201,
    0.001,
    5,
  )
  const text = registry.text()
  expect(text).toMatch(/^apiserver_response_sizes_bucket\{[^}]*verb="LIST"[^}]*le="10000"\} 0$/m)
  expect(text).toMatch(/^apiserver_response_sizes_sum\{[^}]*verb="LIST"[^}]*\} 20000$/m)
  expect(text).toMatch(/^apiserver_response_sizes_sum\{[^}]*scope="cluster"[^}]*verb="WATCH"[^}]*\} 5$/m)
  expect(text.match(/^apiserver_response_sizes_count/gm)).toHaveLength(2)
})

test('counts refused requests, with one label for all non-resource paths', () => {
  const registry = createMetricsRegistry()
  const metrics = createRequestMetrics(registry, isServed)
  for (const target of ['/api/v1/pods', '/api/v1/pods', '/a', '/b']) metrics.countDrop(createObservedRequest(target))
  for (const method of ['INVENTED', 'constructor']) metrics.countDrop({ ...createObservedRequest('/a'), method })
  const count = (series: RegExp): number => (registry.text().match(series) ?? []).length
  expect(registry.text()).toMatch(/^apiserver_request_total\{code="429",[^}]*resource="pods"[^}]*\} 2$/m)
  expect(registry.text()).toMatch(/^apiserver_request_total\{code="429",[^}]*subresource="",verb="GET"[^}]*\} 2$/m)
  expect(registry.text()).toMatch(/^apiserver_request_total\{code="429",[^}]*subresource="",verb="other"[^}]*\} 2$/m)
  expect(count(/^apiserver_request_terminations_total\{/gm)).toBe(4)
})

test('counts failures of requests for other API servers, with a limited number of names', () => {
  const registry = createMetricsRegistry()
  const metrics = createRequestMetrics(registry, () => false)
  const count = (target: string): void => metrics.countFailedForwarding(createObservedRequest(target), 503)
  for (const target of ['/apis/a.example.com/v1/things', '/apis/a.example.com/v1/things', '/apis/a.example.com/v1']) count(target)
  const series = 'apiserver_request_terminations_total{code="503",component="aggregator",'
  expect(registry.text()).toContain(
    `${series}group="a.example.com",resource="things",scope="cluster",subresource="",verb="LIST",version="v1"} 2\n`,
  )
  expect(registry.text()).toContain(
    `${series}group="",resource="",scope="",subresource="/apis/a.example.com/v1",verb="GET",version=""} 1\n`,
  )
  for (let i = 0; i < 6000; i++) count(`/apis/a.example.com/v1/things${i}`)
  const lines = registry.text().split('\n')
  expect(lines.length).toBeLessThan(700)
  expect(lines).toContain(`${series}group="",resource="",scope="cluster",subresource="",verb="LIST",version=""} 5502`)
})

test('measures service levels without watches and dry runs', () => {
  const registry = createMetricsRegistry()
  const metrics = createRequestMetrics(registry, isServed)
  metrics.observe(createObservedRequest('/api/v1/pods?watch=1'), 200, 0.001, 0)
  metrics.observe(
    { ...createObservedRequest('/api/v1/namespaces/n/pods/p'), method: 'DELETE', query: parseQuery('dryRun=All') },
    200,
    0.001,
    0,
  )
  expect(registry.text()).toContain('apiserver_request_duration_seconds_count{')
  expect(registry.text()).not.toContain('apiserver_request_sli_duration_seconds_count{')
  metrics.observe(createObservedRequest('/api/v1/pods'), 200, 0.001, 0)
  expect(registry.text()).toMatch(/^apiserver_request_sli_duration_seconds_count\{[^}]*verb="LIST"[^}]*\} 1$/m)
})

test("counts health endpoints with kube-apiserver's labels", () => {
  const registry = createMetricsRegistry()
  createRequestMetrics(registry, isServed).observe(createObservedRequest('/readyz'), 200, 0.001, 2)
  expect(registry.text()).toContain(
    'apiserver_request_total{code="200",component="",dry_run="",group="",resource="",scope="",subresource="/readyz",verb="GET",version=""} 1\n',
  )
})

test('counts a collection by the scope of its route, and a running watch of one object by the scope of the object', () => {
  const registry = createMetricsRegistry()
  const metrics = createRequestMetrics(registry, isServed)
  const selected = '/api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da'
  metrics.observe(createObservedRequest(selected), 200, 0.001, 1)
  metrics.observe({ ...createObservedRequest(selected), method: 'DELETE', attributes: parseInfo('DELETE', selected) }, 200, 0.001, 1)
  metrics.getLongRunningGauge(createObservedRequest(`${selected}&watch=1`)).value++
  const text = registry.text()
  expect(text).toMatch(/^apiserver_request_total\{[^}]*scope="namespace"[^}]*verb="LIST"[^}]*\} 1$/m)
  expect(text).toMatch(/^apiserver_request_total\{[^}]*scope="namespace"[^}]*verb="DELETE"[^}]*\} 1$/m)
  expect(text).toMatch(/^apiserver_longrunning_requests\{[^}]*scope="resource"[^}]*verb="WATCH"[^}]*\} 1$/m)
})

test('reports verbs like kube-apiserver, and watches at deprecated paths', () => {
  const registry = createMetricsRegistry()
  const metrics = createRequestMetrics(registry, isServed)
  for (const target of ['/api/v1/watch/pods', '/api/v1/namespaces/n/pods/p?watch=1', '/api/v1/namespaces/n/pods/p/log']) {
    metrics.observe(createObservedRequest(target), 200, 0.001, 1)
  }
  const patch = { ...createObservedRequest('/api/v1/namespaces/n/pods/p'), method: 'PATCH' }
  for (const type of ['yaml', 'cbor']) metrics.observe({ ...patch, contentType: `application/apply-patch+${type}` }, 200, 0.001, 1)
  const series = registry.text().match(/^apiserver_request_total.*scope="[^"]*".*verb="[^"]*"/gm) ?? []
  const labels = series.map((line) => ['verb', 'scope'].map((label) => new RegExp(`${label}="([^"]*)"`).exec(line)?.[1]).join(' '))
  expect(labels.toSorted()).toEqual(['APPLY resource', 'CONNECT resource', 'PATCH resource', 'WATCH cluster', 'WATCH resource'])
})
