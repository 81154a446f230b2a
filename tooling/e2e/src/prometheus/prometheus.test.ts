import { expect, test } from 'vitest'
import { evaluate, prometheusProgram } from './prometheus.ts'
import { scrapeServer, targetLabels } from './scrape-server.ts'

/** Metrics that dashboards and alerts for API servers read, with the labels by which they select and group. */
const readMetrics: Readonly<Record<string, string>> = {
  aggregator_unavailable_apiservice: 'name',
  aggregator_unavailable_apiservice_total: 'name reason',
  apiserver_client_certificate_expiration_seconds_bucket: 'le',
  apiserver_client_certificate_expiration_seconds_count: '',
  apiserver_request_sli_duration_seconds_bucket: 'le resource scope verb',
  apiserver_request_sli_duration_seconds_count: 'resource scope verb',
  apiserver_request_terminations_total: 'code resource verb',
  apiserver_request_total: 'code resource verb',
  process_cpu_seconds_total: '',
  process_resident_memory_bytes: '',
  up: '',
  workqueue_adds_total: 'name',
  workqueue_depth: 'name',
  workqueue_queue_duration_seconds_bucket: 'le name',
}

function createSelector(metric: string, labels: string): string {
  const conditions = Object.entries(targetLabels).map(([name, value]) => `${name}="${value}"`)
  const present = labels.split(' ').flatMap((name) => (name === '' ? [] : [`${name}!=""`]))
  return `${metric}{${[...conditions, ...present].join(',')}}`
}

test.skipIf(prometheusProgram === undefined)(
  'Prometheus stores the metrics, and expressions of dashboards have values',
  { timeout: 600_000 },
  async () => {
    const selectors = Object.entries(readMetrics).map(([metric, labels]) => createSelector(metric, labels))
    const rates = selectors.filter((selector) => /_(?:total|count|bucket)\{/.test(selector)).map((selector) => `rate(${selector}[5m]) >= 0`)
    const queries = [
      ...selectors,
      ...rates,
      'histogram_quantile(0.99, sum by (le, resource) (rate(apiserver_request_sli_duration_seconds_bucket{verb=~"LIST|GET"}[5m])))',
      'sum by (code) (rate(apiserver_request_total{verb=~"POST|PUT|PATCH|DELETE",code=~"5.."}[5m])) > 0',
      'sum by (code) (rate(apiserver_request_total{verb=~"LIST|GET",code=~"5.."}[5m])) > 0',
      'recorded:requests:rate5m{kind="recorded"} > 0',
    ]
    const rules = [
      { record: 'recorded:requests:rate5m', expr: 'sum by (cluster) (rate(apiserver_request_total[5m]))', labels: { kind: 'recorded' } },
    ]
    const results = await evaluate({ labels: targetLabels, pages: await scrapeServer(), rules, queries })
    expect(results.filter(({ series, error }) => series === 0 || error !== undefined)).toEqual([])
    expect(results).toHaveLength(rules.length + queries.length)
  },
)
