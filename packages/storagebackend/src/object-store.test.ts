import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, test } from 'vitest'
import type { Backend } from './backend.ts'
import { UnavailableError } from './backend-errors.ts'
import { createObjectStore } from './object-store.ts'
import { createRecordCodec } from './record-codec.ts'
import { createStorageMetrics } from './storage-metrics.ts'

const throwError = (): never => {
  throw new Error('unexpected request')
}

/** Creates a driver that has only the methods that one test needs. The conformance suite tests complete drivers. */
function createFakeBackend(members: Partial<Backend>): Backend {
  return {
    get: throwError,
    list: throwError,
    commit: throwError,
    watch: throwError,
    requestProgress: throwError,
    grantLease: throwError,
    checkHealth: throwError,
    [Symbol.asyncDispose]: throwError,
    ...members,
  }
}

const storeOptions = {
  codec: createRecordCodec({ kind: 'Pod', schemaVersion: 1 }),
  resource: { group: '', resource: 'pods' },
  prefix: '/registry/pods/',
}

test('checkReady rejects with the reason of the driver if the driver cannot serve', async () => {
  let problem: Error | undefined = new UnavailableError('etcd cannot be reached: connection refused')
  const backend = createFakeBackend({ checkHealth: () => (problem ? Promise.reject(problem) : Promise.resolve()) })
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

test('closing removes the metrics, does not close the driver, and may be repeated', async () => {
  let closed = 0
  let calls = 0
  const backend = createFakeBackend({
    list: () => Promise.resolve({ entries: [], revision: ++calls, count: 0, more: false }),
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
  expect([calls, closed]).toEqual([1, 0])
  // Other storages may still use the driver, so it must not be closed.
  expect(await store.count('/registry/pods/')).toBe(0)
})
