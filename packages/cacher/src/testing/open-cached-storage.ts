import type { Clock } from '@keelson/apimachinery'
import { systemClock } from '@keelson/apimachinery'
import { createObjectStore } from '@keelson/storagebackend'
import type { Backend, Compaction, Storage } from '@keelson/storagebackend'
import { putInto } from '@keelson/storagebackend/testing'
import type { StorageSuiteRequest, StorageUnderTest, TestObject } from '@keelson/storagebackend/testing'
import { Cacher } from '../cacher.ts'

export interface CachedStorageOptions {
  readonly backend: Backend & Compaction
  /** Default: the system's; then reads wait for what was written, for a store that is asked over a network tells it later. */
  readonly clock?: Clock & { advance(milliseconds: number): void }
  /** What lies between the cacher and the object store. */
  readonly wrap?: (store: Storage<TestObject>) => Storage<TestObject>
}

const bookmarkPeriod = 2000

/**
 * A cacher over a backend, for the suite that defines a storage. At the end of each test the cache is compared with its store, and it must
 * have had nothing to complain of. Closes the backend.
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
      compactedRevision: () => backend.compactedRevision(),
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
    storage: newestOf(() => cacher, clock ? undefined : async () => caughtUp(cacher, prefix).catch(() => undefined)),
    put: putInto(backend),
    async compact(revision) {
      await caughtUp(cacher, prefix)
      await backend.compact(revision)
      // A cache serves the events that it has, whatever the store dropped; one that begins now has none from before.
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
      if (unexpected !== undefined) throw new Error('the cacher complained', { cause: unexpected })
      if (difference !== undefined) throw new Error(`the cache differs from its store at ${difference}`)
    },
  }
}

/** Of objects that cannot be read a cache has no copy, and there is nothing to compare. */
async function compare(cacher: Cacher<TestObject>, prefix: string): Promise<string | undefined> {
  try {
    await caughtUp(cacher, prefix)
    return (await cacher.compareWithStore()).firstDifference
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

/** A list of what is newest waits for it. */
async function caughtUp(cacher: Cacher<TestObject>, prefix: string): Promise<void> {
  await cacher.list(prefix, { limit: 1 })
}

function isUnreadable(error: unknown): boolean {
  return /corrupt object|failed to read|another prefix|a mistake of the program/.test(String(error))
}

const reads = new Set<string | symbol>(['get', 'list', 'watch'])

/** Whichever there is at the moment of a call. */
function newestOf(newest: () => Storage<TestObject>, beforeReads: (() => Promise<void>) | undefined): Storage<TestObject> {
  return new Proxy(newest(), {
    get(_target, name) {
      const storage = newest()
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
