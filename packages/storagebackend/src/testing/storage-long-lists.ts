import { expect } from 'vitest'
import type { ObjectCodec } from '../storage.ts'
import { names } from './list-names.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { createTestCodec, selecting, testObject, type TestObject } from './test-object.ts'

const openingTakes = 1

/** Takes a millisecond for each object that it opens, and counts them. */
function slowCodec(opened: { count: number }): ObjectCodec<TestObject> {
  const codec = createTestCodec()
  return {
    encode: codec.encode,
    open(key, value, revision) {
      opened.count++
      for (const end = performance.now() + openingTakes; performance.now() < end;) continue
      return codec.open(key, value, revision)
    },
  }
}

export function longListTests(test: DeclareStorageTest): void {
  const opened = { count: 0 }
  test(
    'list: a long one lets others run, with a selector, a limit and without',
    async ({ storage, prefix, key, put }) => {
      for (const options of [{ predicate: selecting({ fields: 'spec.nodeName=n1' }) }, { limit: 90 }, {}]) {
        for (let i = 0; i < 100; i++) {
          const object = testObject('ns', String(i), { nodeName: i % 2 === 0 ? 'n1' : 'n2' })
          await put(key('ns', String(i)), createTestCodec().encode(object))
        }
        // A cache has opened them by now, which it does apart.
        await storage.list(prefix, { limit: 1 })
        let turns = 0
        let ended = false
        const others = (): void => {
          turns++
          if (!ended) setImmediate(others)
        }
        setImmediate(others)
        opened.count = 0
        const list = await storage.list(prefix, options)
        ended = true
        // What is opened as the list is walked is the walker's time.
        expect(turns).toBeGreaterThanOrEqual(Math.floor(opened.count / 10))
        expect(names(list)).toHaveLength('predicate' in options ? 50 : 'limit' in options ? 90 : 100)
      }
    },
    { codec: slowCodec(opened) },
  )
}
