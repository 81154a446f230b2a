import type { Clock } from '@keelson/apimachinery'
import { systemClock } from '@keelson/apimachinery'
import { createObjectStore, isStorageError } from '@keelson/storagebackend'
import type { Backend, Compaction, Storage } from '@keelson/storagebackend'
import { putInto } from '@keelson/storagebackend/testing'
import type { StorageSuiteRequest, StorageUnderTest, TestObject } from '@keelson/storagebackend/testing'
import { Cacher } from '../cacher.ts'

export interface CachedStorageOptions {
  readonly backend: Backend & Compaction
  /**
   * The clock of the cacher and its storage. Default: the system clock. With the system clock, reads wait for earlier writes, because a
   * store behind a network reports them later.
   */
  readonly clock?: Clock & { advance(milliseconds: number): void }
  /** Wraps the object store below the cacher. */
  readonly wrap?: (store: Storage<TestObject>) => Storage<TestObject>
}

const bookmarkPeriod = 2000

/**
 * Opens a cacher over a backend, for the test suite of storages. `close` compares the cache with its store, fails if the cacher reported an
 * error, and closes the backend.
 */
export async function openCachedStorage(request: StorageSuiteRequest, options: CachedStorageOptions): Promise<StorageUnderTest> {
  const { prefix } = request
  const { backend, wrap, clock } = options
  const errors: unknown[] = []
  const start = async (): Promise<Cacher<TestObject>> => {
    const store = createObjectStore<TestObject>({ ...request, backend, ...(clock && { now: clock.now }) })
    const cacher = new Cacher<TestObject>({
      storage: wrap?.(store) ?? store,
      prefix,
      triggerField: 'spec.nodeName',
      requestProgress: () => backend.requestProgress(),
      compactedRevision: () => backend.getCompactedRevision(),
      bookmarkTimes: { every: bookmarkPeriod, beforeDeadline: 0 },
      freshnessTimeout: clock ? 50 : 1000,
      digestPeriod: 0,
      clock: clock ?? systemClock,
      onError: (error) => errors.push(error),
    })
    await cacher.waitUntilReady(5000)
    return cacher
  }
  let cacher = await start()
  return {
    storage: createNewestStorage(() => cacher, clock ? undefined : async () => waitUntilCaughtUp(cacher, prefix).catch(() => undefined)),
    put: putInto(backend),
    async compact(revision) {
      await waitUntilCaughtUp(cacher, prefix)
      await backend.compact(revision)
      // Replace the cache with a new one, which has no events. The old one would still return events that the store has compacted.
      await cacher.close()
      cacher = await start()
    },
    ...(clock && { advance: (milliseconds: number) => clock.advance(milliseconds) }),
    async requestProgress() {
      await backend.requestProgress()
      clock?.advance(bookmarkPeriod + 1000)
    },
    async close() {
      const difference = await compare(cacher, prefix)
      await cacher.close()
      await backend[Symbol.asyncDispose]()
      const unexpected = errors.find((error) => !isUnreadable(error))
      if (unexpected !== undefined) throw new Error('the cacher reported an error', { cause: unexpected })
      if (difference !== undefined) throw new Error(`the cache differs from its store at ${difference}`)
    },
  }
}

/** Compares the cache with the store. A cache over a store with unreadable objects cannot be filled, so then nothing is compared. */
async function compare(cacher: Cacher<TestObject>, prefix: string): Promise<string | undefined> {
  try {
    await waitUntilCaughtUp(cacher, prefix)
    return (await cacher.compareWithStore()).firstDifference
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

/** Waits until the cache is up to date, with a list of the newest state. */
async function waitUntilCaughtUp(cacher: Cacher<TestObject>, prefix: string): Promise<void> {
  await cacher.list(prefix, { limit: 1 })
}

const unreadableCodes = ['Corrupt', 'Internal', 'UnreadableObjects', 'UnreadableDeletion'] as const

function isUnreadable(error: unknown): boolean {
  return unreadableCodes.some((code) => isStorageError(error, code)) || String(error).includes('a programming error')
}

const reads = new Set<string | symbol>(['get', 'list', 'watch'])

/** Creates a storage that forwards each call to the storage which `getNewest` returns at that moment. */
function createNewestStorage(getNewest: () => Storage<TestObject>, beforeReads: (() => Promise<void>) | undefined): Storage<TestObject> {
  return new Proxy(getNewest(), {
    get(_target, name) {
      const storage = getNewest()
      const member: unknown = Reflect.get(storage, name)
      if (typeof member !== 'function') return member
      if (beforeReads === undefined || !reads.has(name)) return member.bind(storage) as unknown
      return async (...options: readonly unknown[]) => {
        await beforeReads()
        return member.apply(storage, options) as unknown
      }
    },
  })
}
