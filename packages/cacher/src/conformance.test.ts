import { openMemory } from '@keelson/backend-embedded'
import { createObjectStore } from '@keelson/storagebackend'
import type { Storage } from '@keelson/storagebackend'
import { createManualClock } from '@keelson/apimachinery/testing'
import { describeStorage, putInto } from '@keelson/storagebackend/testing'
import type { TestObject } from '@keelson/storagebackend/testing'
import { describe, expect } from 'vitest'
import { withoutSnapshots } from './cacher.fixture.ts'
import { Cacher } from './cacher.ts'

const bookmarkPeriod = 2000

describe.each([
  { name: 'cacher over memory', shown: true },
  { name: 'cacher over a store that does not show its past states', shown: false },
])('$name', ({ name, shown }) => {
  describeStorage(name, async (request) => {
    const { prefix } = request
    const clock = createManualClock()
    // Time passes by itself too, for reads that wait no longer than so long.
    const passing = setInterval(() => clock.advance(10), 10)
    const backend = openMemory({ clock })
    const errors: unknown[] = []
    const start = async (): Promise<Cacher<TestObject>> => {
      const store = createObjectStore<TestObject>({ ...request, backend, now: () => clock.now() })
      const cacher = new Cacher<TestObject>({
        storage: shown ? store : withoutSnapshots(store),
        prefix,
        triggerField: 'spec.nodeName',
        requestProgress: () => backend.requestProgress(),
        compactedRevision: () => backend.compactedRevision(),
        bookmarkTimes: { every: bookmarkPeriod, beforeDeadline: 0 },
        freshnessTimeout: 50,
        digestPeriod: 0,
        clock,
        onError: (error) => errors.push(error),
      })
      await cacher.waitUntilReady(5000)
      return cacher
    }
    let cacher = await start()
    return {
      storage: newestOf(() => cacher),
      put: putInto(backend),
      async compact(revision) {
        await cacher.list(prefix, { limit: 1 })
        await backend.compact(revision)
        // A cache serves the events that it has, whatever the store dropped; one that begins now has none from before.
        await cacher.close()
        cacher = await start()
      },
      advance: (milliseconds) => clock.advance(milliseconds),
      async requestProgress() {
        await backend.requestProgress()
        clock.advance(bookmarkPeriod + 1000)
      },
      async close() {
        // Of objects that cannot be read a cache has no copy.
        const unreadable = (error: unknown): boolean => /corrupt object|another prefix|a mistake of the program/.test(String(error))
        if (!errors.some(unreadable)) {
          await cacher.list(prefix, { limit: 1 })
          expect(await cacher.compareWithStore()).toMatchObject({ equal: true })
        }
        await cacher.close()
        clearInterval(passing)
        await backend[Symbol.asyncDispose]()
        expect(errors.filter((error) => !unreadable(error))).toEqual([])
      },
    }
  })
})

/** Whichever there is at the moment of a call. */
function newestOf(newest: () => Storage<TestObject>): Storage<TestObject> {
  return new Proxy(newest(), {
    get(_target, name) {
      const storage = newest()
      const member: unknown = Reflect.get(storage, name)
      return typeof member === 'function' ? (member.bind(storage) as unknown) : member
    },
  })
}
