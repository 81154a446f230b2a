import { openMemory } from '@keelson/backend-embedded'
import { createObjectStore } from '@keelson/storagebackend'
import { createManualClock } from '@keelson/apimachinery/testing'
import { describeStorage } from '@keelson/storagebackend/testing'
import type { TestObject } from '@keelson/storagebackend/testing'
import { describe, expect } from 'vitest'
import { withoutSnapshots } from './cacher.fixture.ts'
import { Cacher } from './cacher.ts'

describe.each([
  { name: 'cacher over memory', shown: true },
  { name: 'cacher over a store that does not show its past states', shown: false },
])('$name', ({ name, shown }) => {
  describeStorage(
    name,
    async ({ codec, resource, prefix }) => {
      const clock = createManualClock()
      const backend = openMemory({ clock })
      const errors: unknown[] = []
      const store = createObjectStore<TestObject>({ backend, codec, resource, prefix, now: () => clock.now() })
      const cacher = new Cacher<TestObject>({
        storage: shown ? store : withoutSnapshots(store),
        prefix,
        triggerField: 'spec.nodeName',
        requestProgress: () => backend.requestProgress(),
        compactedRevision: () => backend.compactedRevision(),
        freshnessTimeout: 100,
        digestPeriod: 0,
        onError: (error) => errors.push(error),
      })
      await cacher.waitUntilReady(5000)
      return {
        storage: cacher,
        async compact(revision) {
          // Otherwise the cache's own watch may be what is too old, and the cache is filled anew.
          await cacher.list(prefix, { limit: 1 })
          await backend.compact(revision)
        },
        advance: (milliseconds) => clock.advance(milliseconds),
        async close() {
          // Of objects that cannot be read a cache has no copy.
          const unreadable = (error: unknown): boolean => String(error).includes('corrupt object')
          if (!errors.some(unreadable)) {
            await cacher.list(prefix, { limit: 1 })
            expect(await cacher.compareWithStore()).toMatchObject({ equal: true })
          }
          await cacher.close()
          await backend[Symbol.asyncDispose]()
          expect(errors.filter((error) => !unreadable(error))).toEqual([])
        },
      }
    },
    {
      skip: [
        {
          test: 'watch: a version that was compacted is expired',
          reason: 'a cache has events of its own and serves them for as long as it keeps them, whatever the store has dropped',
        },
      ],
    },
  )
})
