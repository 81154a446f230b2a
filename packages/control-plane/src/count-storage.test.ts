import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { createManualClock, settle } from '@keelson/apimachinery/testing'
import { openMemory } from '@keelson/backend-embedded'
import { createObjectStore, createRecordCodec, createStorageMetrics } from '@keelson/storagebackend'
import { expect, test } from 'vitest'
import { countStorage } from './count-storage.ts'

test('updates the counts immediately and then every minute until aborted', async () => {
  await using backend = openMemory()
  const registry = createMetricsRegistry()
  const metrics = createStorageMetrics(registry)
  const clock = createManualClock()
  const stop = new AbortController()
  const prefix = '/registry/pods/'
  const resource = { group: '', resource: 'pods' }
  const store = createObjectStore({ backend, codec: createRecordCodec({ kind: 'Pod', schemaVersion: 1 }), resource, prefix, metrics })
  const readObjectCount = (): string | undefined => /^apiserver_storage_objects\{resource="pods"\} (.*)$/m.exec(registry.text())?.[1]

  const counting = countStorage(backend, metrics, stop.signal, clock)
  await settle()
  expect(readObjectCount()).toBe('0')
  expect(registry.text()).toMatch(/^apiserver_storage_size_bytes\{storage_cluster_id="etcd-0"\} \d+$/m)
  await store.create(`${prefix}ns/a`, { metadata: { name: 'a', namespace: 'ns' } })
  await clock.pass(59_000)
  expect(readObjectCount()).toBe('0')
  await clock.pass(1000)
  expect(readObjectCount()).toBe('1')
  stop.abort()
  await counting
  await store.create(`${prefix}ns/b`, { metadata: { name: 'b', namespace: 'ns' } })
  await clock.pass(120_000)
  expect(readObjectCount()).toBe('1')
  await store.close()
  expect(readObjectCount()).toBeUndefined()
})
