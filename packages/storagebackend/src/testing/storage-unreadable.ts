import { expect } from 'vitest'
import { isStorageError } from '../errors.ts'
import type { ObjectCodec } from '../storage.ts'
import type { ValueTransformer } from '../value-transformer.ts'
import { listNames } from './list-names.ts'
import { ObjectWatchReader } from './object-watch-reader.ts'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { createTestCodec, testObject, type TestObject } from './test-object.ts'

const garbage = Buffer.from('{"not":"a record"}')

/** Creates a codec with a bug: for marked keys it throws an error that does not mean an unreadable object. */
function createFailingCodec(): ObjectCodec<TestObject> {
  const codec = createTestCodec()
  return {
    encode: codec.encode,
    open(key, value, revision) {
      if (key.endsWith('/broken')) throw new TypeError('a programming error')
      return codec.open(key, value, revision)
    },
  }
}

/** A transformer that waits before it reads, like one with an external key service. While it waits for the first time, it runs `during`. */
class WaitingTransformer implements ValueTransformer {
  during: (() => Promise<unknown>) | undefined
  #waiting: Promise<void> | undefined

  prepare(): Promise<void> | undefined {
    const { during } = this
    this.during = undefined
    if (during) this.#waiting = during().then(() => void (this.#waiting = undefined))
    return this.#waiting
  }

  fromStorage(stored: Uint8Array): { data: Uint8Array; stale: boolean } {
    return { data: stored, stale: false }
  }

  toStorage(data: Uint8Array): Uint8Array {
    return data
  }
}

export function defineUnreadableTests(test: DeclareStorageTest): void {
  const collect = { collectUnreadable: true } as const

  test(
    'unreadable: the error of a list names all unreadable objects, at most a hundred',
    async ({ storage, prefix, createKey, create, put }) => {
      await create('good', 'a')
      for (const name of ['1', '2']) await put(createKey('ns', name), garbage)
      await create('ns', '3')
      for (const options of [{}, { limit: 10 }]) {
        const error = await catchFailure(storage.list(prefix, options))
        if (!isStorageError(error, 'UnreadableObjects')) throw error
        const { objects, isTruncated } = error.unreadable!
        expect(objects.map((object) => object.key)).toEqual([createKey('ns', '1'), createKey('ns', '2')])
        expect(objects[0]!.message).toContain('has an unknown encoding')
        expect(isTruncated).toBe(false)
      }
      expect(listNames(await storage.list(`${prefix}good/`))).toEqual(['good/a'])

      for (let i = 0; i < 120; i++) await put(createKey('many', String(i)), garbage)
      const error = await catchFailure(storage.list(`${prefix}many/`))
      if (!isStorageError(error, 'UnreadableObjects')) throw error
      expect(error.unreadable!.objects).toHaveLength(100)
      expect(error.unreadable!.isTruncated).toBe(true)
    },
    collect,
  )

  test('unreadable: the first unreadable object ends a list that does not collect them', async ({ storage, prefix, createKey, put }) => {
    for (const name of ['1', '2']) await put(createKey('ns', name), garbage)
    const error = await catchFailure((async () => [...(await storage.list(prefix)).items])())
    expect(getErrorCode(error)).toBe('Corrupt')
    expect(String(error)).toContain(createKey('ns', '1'))
  })

  test(
    'unreadable: any other error ends a list at once',
    async ({ storage, prefix, createKey, put }) => {
      await put(createKey('ns', '1'), garbage)
      await put(createKey('ns', 'broken'), createTestCodec().encode(testObject('ns', 'broken')))
      expect(String(await catchFailure(storage.list(prefix)))).toContain('a programming error')
    },
    { ...collect, codec: createFailingCodec() },
  )

  test('unreadable: deleteUnreadable deletes unreadable objects only', async ({ storage, prefix, createKey, create, put }) => {
    const readable = await create('ns', 'good')
    await put(createKey('ns', 'bad'), garbage)
    const revision = await storage.deleteUnreadable(createKey('ns', 'bad'))
    expect(revision).toBeGreaterThan(readable.revision)
    expect(getErrorCode(await catchFailure(storage.get(createKey('ns', 'bad'))))).toBe('KeyNotFound')
    expect(getErrorCode(await catchFailure(storage.deleteUnreadable(createKey('ns', 'bad'))))).toBe('KeyNotFound')
    const error = await catchFailure(storage.deleteUnreadable(createKey('ns', 'good')))
    expect(getErrorCode(error)).toBe('InvalidObject')
    expect(String(error)).toContain('the stored object can be read')
    expect(listNames(await storage.list(prefix))).toEqual(['ns/good'])
    expect(String(await catchFailure(storage.deleteUnreadable('/registry/elsewhere/ns/a')))).toContain('lacks resource prefix')
  })

  const waiting = new WaitingTransformer()
  test(
    'unreadable: deleteUnreadable keeps an object that became readable',
    async ({ storage, createKey, put }) => {
      const unreadableKey = createKey('ns', 'bad')
      await put(unreadableKey, garbage)
      waiting.during = () => put(unreadableKey, createTestCodec().encode(testObject('ns', 'bad', { text: 'mended' })))
      expect(getErrorCode(await catchFailure(storage.deleteUnreadable(unreadableKey)))).toBe('InvalidObject')
      expect((await storage.get(unreadableKey)).object().spec!.text).toBe('mended')
    },
    { transformer: waiting },
  )

  test('unreadable: deleting an unreadable object ends watches with an error', async ({ storage, prefix, createKey, create, put }) => {
    await create('ns', 'a')
    await put(createKey('ns', 'bad'), garbage)
    const resourceVersion = String(await storage.getCurrentRevision())
    const open = (): Promise<ObjectWatchReader> => ObjectWatchReader.open(storage, prefix, { resourceVersion })
    const watches = await Promise.allSettled(Array.from({ length: 10 }, open))
    await storage.deleteUnreadable(createKey('ns', 'bad'))
    await create('ns', 'after')
    for (const watch of watches) {
      // A cache that was never filled refuses the watch. A cache that was filled before ends it, because it must be filled again.
      const error = watch.status === 'rejected' ? watch.reason : await catchFailure(watch.value.next())
      expect(['UnreadableDeletion', 'NotReady', 'ResourceVersionTooOld']).toContain(getErrorCode(error))
      if (getErrorCode(error) === 'UnreadableDeletion') expect(String(error)).toContain('saw a DELETED event, but object data is corrupt')
      if (watch.status === 'fulfilled') expect(await watch.value.next()).toBeUndefined()
    }
  })
}
