import { expect } from 'vitest'
import type { PlainValue, ValueTransformer } from '../value-transformer.ts'
import { formatEvents, ObjectWatchReader } from './object-watch-reader.ts'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { createTestCodec, testObject } from './test-object.ts'

/** A transformer that adds a prefix to values. It writes its newest prefix, reads all its prefixes, and throws for any other prefix. */
class PrefixTransformer implements ValueTransformer {
  prefixes: string[] = ['test-1:']

  fromStorage(stored: Uint8Array, key: string): PlainValue {
    const value = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
    const prefix = this.prefixes.find((each) => value.subarray(0, each.length).toString() === each)
    if (prefix === undefined) throw new Error(`the value of ${key} has another prefix`)
    return { data: value.subarray(prefix.length), stale: prefix !== this.prefixes[0] }
  }

  toStorage(data: Uint8Array): Uint8Array {
    return Buffer.concat([Buffer.from(this.prefixes[0]!), data])
  }
}

export function defineTransformerTests(test: DeclareStorageTest): void {
  const readOnly = new PrefixTransformer()
  const encodeForeign = (name: string): Buffer => Buffer.concat([Buffer.from('other:'), createTestCodec().encode(testObject('ns', name))])

  test(
    'transformer: an unreadable value fails exactly the verbs that read it',
    async ({ storage, prefix, createKey, create, put }) => {
      await create('good', 'a')
      await put(createKey('ns', 'bad'), encodeForeign('bad'))
      const unreadableKey = createKey('ns', 'bad')
      const listItems = async (list: ReturnType<typeof storage.list>): Promise<unknown> => [...(await list).items]
      for (const call of [
        () => storage.get(unreadableKey),
        () => listItems(storage.list(prefix)),
        () => listItems(storage.list(prefix, { limit: 5 })),
        () => listItems(storage.list(unreadableKey, { recursive: false })),
        () => storage.guaranteedUpdate(unreadableKey, (object) => ({ object: object! })),
        () => storage.delete(unreadableKey),
      ]) {
        const error = await catchFailure(call())
        expect(getErrorCode(error)).toBe('Internal')
        expect(String(error)).toContain('has another prefix')
      }
      expect(await listItems(storage.list(`${prefix}good/`))).toHaveLength(1)
      expect((await storage.get(createKey('good', 'a'))).object().metadata.name).toBe('a')
      expect(await storage.count(prefix)).toBe(2)
    },
    { transformer: readOnly },
  )

  test(
    'transformer: a watch ends with an error at an unreadable value',
    async ({ storage, prefix, createKey, create, put }) => {
      const { revision } = await create('ns', 'start')
      const open = (): Promise<ObjectWatchReader> => ObjectWatchReader.open(storage, prefix, { resourceVersion: String(revision) })
      const readers = await Promise.all(Array.from({ length: 10 }, open))
      await create('ns', 'before')
      for (const reader of readers) expect(formatEvents(await reader.objects(1))).toEqual(['ADDED before'])
      const endings = readers.map((reader) => catchFailure(reader.next()))
      await put(createKey('ns', 'bad'), encodeForeign('bad'))
      await create('ns', 'after')
      // A cache may instead end the watch with ResourceVersionTooOld, because it must be filled again.
      for (const ending of endings) expect(['Internal', 'ResourceVersionTooOld']).toContain(getErrorCode(await ending))
      for (const reader of readers) expect(await reader.next()).toBeUndefined()
    },
    { transformer: readOnly },
  )

  const rotating = new PrefixTransformer()
  test(
    'transformer: an update without changes rewrites a stale value, but only once',
    async ({ storage, createKey, create }) => {
      rotating.prefixes = ['test-1:']
      const created = await create('ns', 'a')
      const updateUnchanged = async (): Promise<number> =>
        (await storage.guaranteedUpdate(createKey('ns', 'a'), (object) => ({ object: object! }))).revision
      expect(await updateUnchanged()).toBe(created.revision)
      rotating.prefixes = ['test-2:', 'test-1:']
      const rewritten = await updateUnchanged()
      expect(rewritten).toBeGreaterThan(created.revision)
      expect(await updateUnchanged()).toBe(rewritten)
      rotating.prefixes = ['test-2:']
      expect((await storage.get(createKey('ns', 'a'))).object().metadata.name).toBe('a')
    },
    { transformer: rotating },
  )

  test('update: compares stored bytes, not opened objects', async ({ storage, createKey, put }) => {
    const object = testObject('ns', 'a', { text: 'x' })
    await put(createKey('ns', 'a'), createTestCodec(2).encode(object))
    const { revision } = await storage.get(createKey('ns', 'a'))
    const updateUnchanged = async (): Promise<number> =>
      (await storage.guaranteedUpdate(createKey('ns', 'a'), (current) => ({ object: current! }))).revision
    const canonical = await updateUnchanged()
    expect(canonical).toBeGreaterThan(revision)
    expect(await updateUnchanged()).toBe(canonical)
    expect((await storage.get(createKey('ns', 'a'))).object().spec).toEqual({ text: 'x' })
  })
}
