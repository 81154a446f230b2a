import { expect } from 'vitest'
import type { ObjectCodec, ObjectList } from '../storage.ts'
import { listNames } from './list-names.ts'
import { ObjectWatchReader } from './object-watch-reader.ts'
import type { DeclareStorageTest, StorageTest } from './storage-suite.ts'
import { createTestCodec, createPredicate, testObject, type TestObject } from './test-object.ts'

const openingTakes = 1

/** Creates a codec that takes a millisecond to decode an object, and counts the decoded objects. */
function createSlowCodec(opened: { count: number }): ObjectCodec<TestObject> {
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

/** Returns the number of pauses if slices of ten objects are decoded: one less than there are slices. */
function countPauses(objects: number): number {
  return Math.floor(objects / 10) - 1
}

/** Counts the turns of the event loop during `run`. */
async function countTurnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let ended = false
  const countTurn = (): void => {
    turns++
    if (!ended) setImmediate(countTurn)
  }
  setImmediate(countTurn)
  await run()
  ended = true
  return turns
}

export function defineLongListTests(test: DeclareStorageTest): void {
  const opens = { count: 0 }
  const slow = { codec: createSlowCodec(opens) }
  async function putHundred({ createKey, put }: StorageTest): Promise<void> {
    for (let i = 0; i < 100; i++) {
      await put(createKey('ns', String(i)), createTestCodec().encode(testObject('ns', String(i), { nodeName: i % 2 === 0 ? 'n1' : 'n2' })))
    }
  }

  test(
    'list: a long list lets other work run, with a selector, with a limit, and without either',
    async (under) => {
      const { storage, prefix } = under
      for (const [options, length] of [
        [{ predicate: createPredicate({ fields: 'spec.nodeName=n1' }) }, 50],
        [{ limit: 90 }, 90],
        [{}, 100],
      ] as const) {
        await putHundred(under)
        // This list makes a cache decode the objects first.
        await storage.list(prefix, { limit: 1 })
        opens.count = 0
        let list: ObjectList<TestObject> | undefined
        const turns = await countTurnsDuring(async () => (list = await storage.list(prefix, options)))
        // Objects that the caller decodes while it iterates use the caller's time, so they are not counted here.
        expect(turns).toBeGreaterThanOrEqual(countPauses(opens.count))
        expect(listNames(list!)).toHaveLength(length)
      }
    },
    slow,
  )

  test(
    'watch: sending many initial or missed events lets other work run',
    async (under) => {
      const { storage, prefix, create } = under
      const { revision } = await create('ns', 'start')
      for (const start of [{ resourceVersion: '0' }, { resourceVersion: String(revision) }]) {
        await putHundred(under)
        await storage.list(prefix, { limit: 1 })
        opens.count = 0
        const reader = await ObjectWatchReader.open(storage, prefix, start)
        const turns = await countTurnsDuring(() => reader.objects(100))
        expect(turns).toBeGreaterThanOrEqual(countPauses(opens.count))
        await reader.stop()
      }
    },
    slow,
  )
}
