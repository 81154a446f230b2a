import { selectEveryField, parseLabelSelector } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, test } from 'vitest'
import { formatPodKey, openFixture, createPod, prefix } from './cacher.fixture.ts'
import { createWatchCacheMetrics } from './watch-cache-metrics.ts'

test('metrics have kube-apiserver’s names', async () => {
  const registry = createMetricsRegistry()
  const metrics = createWatchCacheMetrics(registry).createResourceMetrics({ group: '', resource: 'pods' })
  await using fixture = await openFixture({ metrics, digestPeriod: 60_000, random: () => 0, ring: { minimum: 4, freshFor: 1000 } })
  const { cacher, clock } = fixture
  const stop = new AbortController()
  const reader = (await cacher.watch(prefix, { signal: stop.signal, resourceVersion: '0' }))[Symbol.asyncIterator]()
  for (let i = 0; i < 6; i++)
    await cacher.create(formatPodKey('ns', `p${i}`), createPod('ns', `p${i}`, { labels: i < 2 ? { app: 'a' } : {} }))
  await fixture.waitUntilCurrent()
  await reader.next()
  await cacher.list(prefix, { predicate: { labels: parseLabelSelector('app=a'), fields: selectEveryField() } })
  const initial = (await cacher.watch(prefix, { signal: stop.signal, resourceVersion: '0' }))[Symbol.asyncIterator]()
  await initial.next()
  await clock.pass(61_000)
  stop.abort()
  const lines = registry
    .text()
    .split('\n')
    .filter((line) => /^(apiserver|watch_cache)/.test(line) && !line.includes('_bucket'))
  for (const line of [
    'apiserver_watch_cache_initializations_total{group="",resource="pods"} 1',
    'apiserver_watch_cache_events_received_total{group="",resource="pods"} 6',
    'apiserver_watch_cache_events_dispatched_total{group="",resource="pods"} 6',
    `apiserver_watch_cache_resource_version{group="",resource="pods"} ${await cacher.getCurrentRevision()}`,
    'watch_cache_capacity{group="",resource="pods"} 8',
    'watch_cache_capacity_increase_total{group="",resource="pods"} 1',
    'apiserver_init_events_total{group="",resource="pods"} 6',
    'apiserver_watch_cache_consistent_read_total{fallback="false",group="",resource="pods",success="true"} 2',
    'apiserver_cache_list_total{group="",index="",resource="pods"} 2',
    'apiserver_cache_list_fetched_objects_total{group="",index="",resource="pods"} 12',
    'apiserver_cache_list_returned_objects_total{group="",resource="pods"} 8',
    'apiserver_storage_consistency_checks_total{group="",resource="pods",status="success"} 1',
  ])
    expect(lines).toContain(line)
  expect(lines.filter((line) => line.includes('read_wait_seconds_count'))).toHaveLength(1)
})
