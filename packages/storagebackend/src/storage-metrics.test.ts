import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, test } from 'vitest'
import { createStorageMetrics } from './storage-metrics.ts'
import type { StorageStats } from './storage.ts'

const splitLines = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

test('time series are created on first use, and error series on the first error', () => {
  const registry = createMetricsRegistry()
  const pods = createStorageMetrics(registry).createResourceMetrics({ group: '', resource: 'pods' }, () =>
    Promise.reject(new Error('unexpected call')),
  )
  expect(registry.text()).toBe('')
  pods.request('get', performance.now() - 30, false)
  expect(registry.text()).toContain('etcd_requests_total{group="",operation="get",resource="pods"} 1\n')
  expect(registry.text()).toMatch(/^etcd_request_duration_seconds_bucket\{group="",operation="get",resource="pods",le="0.025"\} 0$/m)
  expect(registry.text()).toMatch(/^etcd_request_duration_seconds_count\{group="",operation="get",resource="pods"\} 1$/m)
  expect(registry.text()).not.toContain('etcd_request_errors_total')
  pods.request('get', performance.now(), true)
  expect(registry.text()).toContain('etcd_request_errors_total{group="",operation="get",resource="pods"} 1\n')
  expect(registry.text()).toContain('etcd_requests_total{group="",operation="get",resource="pods"} 2\n')
})

test('a refresh reports the number of objects, -1 if it is unknown, and nothing for closed resources', async () => {
  const registry = createMetricsRegistry()
  const metrics = createStorageMetrics(registry)
  let stats: StorageStats | undefined = { objectCount: 3, estimatedAverageObjectSize: 500 }
  const learn = (): Promise<StorageStats> => (stats ? Promise.resolve(stats) : Promise.reject(new Error('away')))
  const deployments = metrics.createResourceMetrics({ group: 'apps', resource: 'deployments' }, learn)
  await metrics.refresh(() => Promise.resolve(4096))
  expect(splitLines(registry.text())).toEqual([
    'apiserver_resource_objects{group="apps",resource="deployments"} 3',
    'apiserver_resource_size_estimate_bytes{group="apps",resource="deployments"} 1500',
    'apiserver_storage_objects{resource="deployments.apps"} 3',
    'apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 4096',
  ])
  const resource = { group: 'apps', resource: 'deployments' }
  expect(metrics.findStats(resource)).toMatchObject({ objectCount: 3, estimatedAverageObjectSize: 500 })
  stats = undefined
  await metrics.refresh(() => Promise.reject(new Error('away')))
  expect(splitLines(registry.text())).toEqual([
    'apiserver_resource_objects{group="apps",resource="deployments"} -1',
    'apiserver_resource_size_estimate_bytes{group="apps",resource="deployments"} -1',
    'apiserver_storage_objects{resource="deployments.apps"} -1',
    'apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} -1',
  ])
  expect(metrics.findStats(resource)).toMatchObject({ objectCount: 3 })
  expect(metrics.findStats({ group: '', resource: 'pods' })).toBeUndefined()
  // Close a resource during the refresh. The refresh must not report it.
  const refreshing = metrics.refresh()
  deployments.close()
  deployments.close()
  await refreshing
  await metrics.refresh()
  expect(metrics.findStats(resource)).toBeUndefined()
  expect(splitLines(registry.text())).toEqual(['apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} -1'])
})
