import type { GroupResource } from '@keelson/apimachinery'
import { describe } from 'vitest'
import type { ObjectCodec, Storage, StoredObject } from '../storage.ts'
import { SuiteTests, type SuiteOptions } from './skip.ts'
import { deleteTests } from './storage-delete.ts'
import { listTests } from './storage-list.ts'
import { pagingTests } from './storage-paging.ts'
import { scopeTests } from './storage-scopes.ts'
import { undecodableTests } from './storage-undecodable.ts'
import { createAndGetTests } from './storage-create-get.ts'
import { updateTests } from './storage-update.ts'
import { watchTests } from './storage-watch.ts'
import { watchReaderTests } from './storage-watch-readers.ts'
import { watchListTests } from './storage-watch-list.ts'
import { createTestCodec, testObject, type TestObject, type TestObjectOptions } from './test-object.ts'

/** What a storage is to be opened for. The prefix is new for every test. */
export interface StorageSuiteRequest {
  readonly codec: ObjectCodec<TestObject>
  readonly resource: GroupResource
  readonly prefix: string
}

export interface StorageUnderTest {
  readonly storage: Storage<TestObject>
  /** Drops history before the revision, below any cache. Without it the tests that need it pass over. */
  readonly compact?: (revision: number) => Promise<void>
  /** Moves the clock; without it the suite waits. */
  readonly advance?: (milliseconds: number) => void
  /** Makes open watches send progress soon. Without it the tests that need it pass over. */
  readonly requestProgress?: () => Promise<void>
  readonly close: () => PromiseLike<void>
}

export interface StorageTest extends StorageUnderTest {
  readonly prefix: string
  key(namespace: string, name: string): string
  create(namespace: string, name: string, options?: TestObjectOptions): Promise<StoredObject<TestObject>>
  update(stored: StoredObject<TestObject>, change: (object: TestObject) => void): Promise<StoredObject<TestObject>>
  wait(milliseconds: number): Promise<void>
}

export type DeclareStorageTest = (name: string, run: (test: StorageTest) => Promise<void>) => void

/** The definition of an object storage, for drivers under the object store and for the cacher alike. Call it in a vitest file. */
export function describeStorage(
  name: string,
  open: (request: StorageSuiteRequest) => Promise<StorageUnderTest>,
  options: SuiteOptions = {},
): void {
  describe(`storage ${name}`, () => {
    const tests = new SuiteTests(options)
    let number = 0
    const declare: DeclareStorageTest = (title, run) =>
      tests.test(title, async () => {
        const prefix = `/registry/tests-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${number++}/`
        const under = await open({ codec: createTestCodec(), resource: { group: 'suite.keelson.dev', resource: 'tests' }, prefix })
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
    watchTests(declare)
    watchListTests(declare)
    watchReaderTests(declare)
    scopeTests(declare)
    undecodableTests(declare)
    tests.finish()
  })
}
