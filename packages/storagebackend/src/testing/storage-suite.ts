import type { GroupResource } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { describe } from 'vitest'
import type { Backend } from '../backend.ts'
import type { ObjectCodec, Storage, StoredObject } from '../storage.ts'
import { createStorageMetrics, type StorageMetrics } from '../storage-metrics.ts'
import type { ValueTransformer } from '../value-transformer.ts'
import { SuiteTests, type SuiteOptions } from './skip.ts'
import { deleteTests } from './storage-delete.ts'
import { listTests } from './storage-list.ts'
import { longListTests } from './storage-long-lists.ts'
import { measureTests } from './storage-measures.ts'
import { pagingTests } from './storage-paging.ts'
import { scopeTests } from './storage-scopes.ts'
import { listVersionTests } from './storage-list-versions.ts'
import { singleTests } from './storage-single.ts'
import { transformerTests } from './storage-transformer.ts'
import { unreadableTests } from './storage-unreadable.ts'
import { statisticsTests } from './storage-statistics.ts'
import { watchStartTests } from './storage-watch-start.ts'
import { undecodableTests } from './storage-undecodable.ts'
import { createAndGetTests } from './storage-create-get.ts'
import { updateTests } from './storage-update.ts'
import { watchTests } from './storage-watch.ts'
import { watchReaderTests } from './storage-watch-readers.ts'
import { watchListTests } from './storage-watch-list.ts'
import { createTestCodec, testObject, type TestObject, type TestObjectOptions } from './test-object.ts'

/** The options of the object store below the storage under test. Every test has its own prefix. */
export interface StorageSuiteRequest {
  readonly codec: ObjectCodec<TestObject>
  readonly resource: GroupResource
  readonly prefix: string
  readonly metrics: StorageMetrics
  readonly collectUnreadable?: boolean
  /** The transformer of a test, which replaces the storage's transformer. */
  readonly transformer?: ValueTransformer
}

export interface StorageUnderTest {
  readonly storage: Storage<TestObject>
  /** Writes an encoded object directly to the driver, through the storage's transformer if it has one. */
  readonly put: (key: string, value: Uint8Array) => Promise<unknown>
  /** Drops the history before the revision, also in a cache. */
  readonly compact: (revision: number) => Promise<void>
  /** Advances the clock. Without it the suite waits in real time. */
  readonly advance?: (milliseconds: number) => void
  /** Makes open watches send progress soon. */
  readonly requestProgress: () => Promise<void>
  readonly close: () => PromiseLike<void>
}

export interface StorageTest extends StorageUnderTest {
  readonly prefix: string
  key(namespace: string, name: string): string
  create(namespace: string, name: string, options?: TestObjectOptions): Promise<StoredObject<TestObject>>
  update(stored: StoredObject<TestObject>, change: (object: TestObject) => void): Promise<StoredObject<TestObject>>
  /** Returns the object store's metrics by name and labels: `etcd_requests_total{…}`. */
  measured(): Promise<ReadonlyMap<string, number>>
  wait(milliseconds: number): Promise<void>
}

export type DeclareStorageTest = (
  name: string,
  run: (test: StorageTest) => Promise<void>,
  request?: Partial<Pick<StorageSuiteRequest, 'codec' | 'collectUnreadable' | 'transformer'>>,
) => void

/** Creates the `put` of a storage without a transformer. */
export function putInto(backend: Backend): StorageUnderTest['put'] {
  return (key, value) => backend.commit({ compare: [], operations: [{ type: 'put', key, value }] })
}

/** Tests the contract of an object storage: the object store on a driver, or the cacher. Call it in a vitest file. */
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
        const key = (namespace: string, objectName: string): string => `${prefix}${namespace}/${objectName}`
        try {
          await run({
            ...under,
            prefix,
            key,
            create: (namespace, objectName, objectOptions) =>
              storage.create(key(namespace, objectName), testObject(namespace, objectName, objectOptions)),
            update: (stored, change) =>
              storage.guaranteedUpdate(stored.key, (current) => {
                change(current!)
                return { object: current! }
              }),
            async measured() {
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
    createAndGetTests(declare)
    updateTests(declare)
    deleteTests(declare)
    listTests(declare)
    pagingTests(declare)
    longListTests(declare)
    watchTests(declare)
    watchListTests(declare)
    watchReaderTests(declare)
    scopeTests(declare)
    listVersionTests(declare)
    singleTests(declare)
    transformerTests(declare)
    unreadableTests(declare)
    statisticsTests(declare)
    watchStartTests(declare)
    measureTests(declare)
    undecodableTests(declare)
    tests.finish()
  })
}

function parseMetrics(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>()
  for (const [, series, value] of text.matchAll(/^([^#]\S*) (\S+)$/gm)) values.set(series!, Number(value))
  return values
}
