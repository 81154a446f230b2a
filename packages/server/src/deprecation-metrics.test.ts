import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, it } from 'vitest'
import { createDeprecationMetrics } from './deprecation-metrics.ts'

it('counts each requested deprecated path once', () => {
  const registry = createMetricsRegistry()
  const observe = createDeprecationMetrics(registry)
  const endpoints = { gvr: { group: '', version: 'v1', resource: 'endpoints' }, subresource: '' }
  observe(endpoints, '')
  observe(endpoints, '')
  observe({ gvr: { group: 'resource.k8s.io', version: 'v1beta1', resource: 'resourceclaims' }, subresource: 'status' }, '1.38')
  expect(registry.text().split('\n').slice(2)).toEqual([
    'apiserver_requested_deprecated_apis{group="",removed_release="",resource="endpoints",subresource="",version="v1"} 1',
    'apiserver_requested_deprecated_apis{group="resource.k8s.io",removed_release="1.38",resource="resourceclaims",subresource="status",version="v1beta1"} 1',
    '',
  ])
})
