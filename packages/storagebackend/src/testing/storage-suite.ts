import type { GroupResource } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { describe } from 'vitest'
import type { Backend } from '../backend.ts'
import type { ObjectCodec, Storage, StoredObject } from '../storage.ts'
import { createStorageMetrics, type StorageMetrics } from '../storage-metrics.ts'
import type { ValueTransformer } from '../value-transformer.ts'
import { SuiteTests, type SuiteOptions } from './skip.ts'
import { defineDeleteTests } from './storage-delete.ts'
import { defineListTests } from './storage-list.ts'
import { defineLongListTests } from './storage-long-lists.ts'
import { defineMeasureTests } from './storage-measures.ts'
import { definePagingTests } from './storage-paging.ts'
import { defineScopeTests } from './storage-scopes.ts'
import { defineListVersionTests } from './storage-list-versions.ts'
import { defineSingleTests } from './storage-single.ts'
import { defineTransformerTests } from './storage-transformer.ts'
import { defineUnreadableTests } from './storage-unreadable.ts'
import { defineStatisticsTests } from './storage-statistics.ts'
import { defineWatchStartTests } from './storage-watch-start.ts'
import { defineUndecodableTests } from './storage-undecodable.ts'
import { defineCreateAndGetTests } from './storage-create-get.ts'
import { defineUpdateTests } from './storage-update.ts'
import { defineWatchTests } from './storage-watch.ts'
import { defineWatchReaderTests } from './storage-watch-readers.ts'
import { defineWatchListTests } from './storage-watch-list.ts'
import { createTestCodec, testObject, type TestObject, type TestObjectOptions } from './test-object.ts'

/** The options with which the suite opens a storage. Every test has its own prefix. */
export interface StorageSuiteRequest {
  readonly codec: ObjectCodec<TestObject>
  readonly resource: GroupResource
  readonly prefix: string
  readonly metrics: StorageMetrics
  readonly collectUnreadable?: boolean
  /** The transformer that this test needs, instead of the implementation's transformer. */
  readonly transformer?: ValueTransformer
}

export interface StorageUnderTest {
  readonly storage: Storage<TestObject>
  /** Writes encoded bytes directly to the driver. If the storage has a transformer, the bytes are transformed first. */
  readonly put: (key: string, value: Uint8Array) => Promise<unknown>
  /** Drops the history before the revision, both in the driver and in a cache. */
  readonly compact: (revision: number) => Promise<void>
  /** Advances the clock. Absent: the suite waits in real time. */
  readonly advance?: (milliseconds: number) => void
  /** Makes open watches of the driver send progress soon. */
  readonly requestProgress: () => Promise<void>
  readonly close: () => PromiseLike<void>
}

export interface StorageTest extends StorageUnderTest {
  readonly prefix: string
  createKey(namespace: string, name: string): string
  create(namespace: string, name: string, options?: TestObjectOptions): Promise<StoredObject<TestObject>>
  update(stored: StoredObject<TestObject>, change: (object: TestObject) => void): Promise<StoredObject<TestObject>>
  /** Returns the metrics of the object store, with name and labels as the key: `etcd_requests_total{…}`. */
  readMetrics(): Promise<ReadonlyMap<string, number>>
  wait(milliseconds: number): Promise<void>
}

export type DeclareStorageTest = (
  name: string,
  run: (test: StorageTest) => Promise<void>,
  request?: Partial<Pick<StorageSuiteRequest, 'codec' | 'collectUnreadable' | 'transformer'>>,
) => void

/** Returns the `put` function for a storage without a transformer. */
export function putInto(backend: Backend): StorageUnderTest['put'] {
  return (key, value) => backend.commit({ compare: [], operations: [{ type: 'put', key, value }] })
}

/** Tests an implementation of `Storage`: the object store on a driver, or the cacher. Call it in a vitest file. */
export function describeStorage(
  name: string,
  open: (request: StorageSuiteRequest) => Promise<StorageUnderTest>,
  options: SuiteOptions = {},
): void {
  describe(`storage ${name}`, () => {
    const tests = new SuiteTests(`storage suite on ${name}`, options)
    let number = 0
    const declare: DeclareStorageTest = (title, run, request) =>
      tests.test(title, async () => {
        const prefix = `/registry/tests-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${number++}/`
        const registry = createMetricsRegistry()
        const metrics = createStorageMetrics(registry)
        const resource = { group: 'suite.keelson.dev', resource: 'tests' }
        const under = await open({ codec: createTestCodec(), resource, prefix, metrics, ...request })
        const { storage, advance } = under
        const formatKey = (namespace: string, objectName: string): string => `${prefix}${namespace}/${objectName}`
        try {
          await run({
            ...under,
            prefix,
            createKey: formatKey,
            create: (namespace, objectName, objectOptions) =>
              storage.create(formatKey(namespace, objectName), testObject(namespace, objectName, objectOptions)),
            update: (stored, change) =>
              storage.guaranteedUpdate(stored.key, (current) => {
                change(current!)
                return { object: current! }
              }),
            async readMetrics() {
              await metrics.refresh()
              return parseMetrics(registry.text())
            },
            async wait(milliseconds) {
              if (advance) advance(milliseconds)
              else await new Promise((resolve) => setTimeout(resolve, milliseconds))
            },
          })
        } finally {
          await under.close()
        }
      })
    defineCreateAndGetTests(declare)
    defineUpdateTests(declare)
    defineDeleteTests(declare)
    defineListTests(declare)
    definePagingTests(declare)
    defineLongListTests(declare)
    defineWatchTests(declare)
    defineWatchListTests(declare)
    defineWatchReaderTests(declare)
    defineScopeTests(declare)
    defineListVersionTests(declare)
    defineSingleTests(declare)
    defineTransformerTests(declare)
    defineUnreadableTests(declare)
    defineStatisticsTests(declare)
    defineWatchStartTests(declare)
    defineMeasureTests(declare)
    defineUndecodableTests(declare)
    tests.finish()
  })
}

function parseMetrics(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>()
  for (const [, series, value] of text.matchAll(/^([^#]\S*) (\S+)$/gm)) values.set(series!, Number(value))
  return values
}
