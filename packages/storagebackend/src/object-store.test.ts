import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, test } from 'vitest'
import type { Backend } from './backend.ts'
import { UnavailableError } from './backend-errors.ts'
import { createObjectStore } from './object-store.ts'
import { createRecordCodec } from './record-codec.ts'
import { createStorageMetrics } from './storage-metrics.ts'

const refuse = (): never => {
  throw new Error('unexpected request')
}

/** Creates a driver that has only the methods that one test needs. The conformance suite tests complete drivers. */
function fakeBackend(members: Partial<Backend>): Backend {
  return {
    get: refuse,
    list: refuse,
    commit: refuse,
    watch: refuse,
    requestProgress: refuse,
    grantLease: refuse,
    checkHealth: refuse,
    [Symbol.asyncDispose]: refuse,
    ...members,
  }
}

const storeOptions = {
  codec: createRecordCodec({ kind: 'Pod', schemaVersion: 1 }),
  resource: { group: '', resource: 'pods' },
  prefix: '/registry/pods/',
}

test('is not ready if the driver cannot serve, and gives its reason', async () => {
  let problem: Error | undefined = new UnavailableError('etcd cannot be reached: connection refused')
  const backend = fakeBackend({ checkHealth: () => (problem ? Promise.reject(problem) : Promise.resolve()) })
  const store = createObjectStore({ ...storeOptions, backend })
  await expect(store.checkReady()).rejects.toMatchObject({
    name: 'StorageError',
    code: 'Unreachable',
    message: expect.stringContaining('connection refused') as string,
    cause: problem,
  })
  problem = undefined
  await store.checkReady()
})

test('closing leaves the driver open and removes the metrics, even when repeated', async () => {
  let closed = 0
  let asked = 0
  const backend = fakeBackend({
    list: () => Promise.resolve({ entries: [], revision: ++asked, count: 0, more: false }),
    [Symbol.asyncDispose]: () => Promise.resolve(void closed++),
  })
  const registry = createMetricsRegistry()
  const metrics = createStorageMetrics(registry)
  const store = createObjectStore({ ...storeOptions, backend, metrics })
  await metrics.refresh()
  expect(registry.text()).toContain('apiserver_storage_objects{resource="pods"} 0')
  await store.close()
  await store.close()
  await metrics.refresh()
  expect(registry.text()).not.toContain('apiserver_storage_objects{')
  expect([asked, closed]).toEqual([1, 0])
  // Other storages may still use the driver, so it must not be closed.
  expect(await store.count('/registry/pods/')).toBe(0)
})
