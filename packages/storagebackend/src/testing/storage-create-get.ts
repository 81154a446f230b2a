import { expect } from 'vitest'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { testObject } from './test-object.ts'
import { ObjectWatchReader } from './object-watch-reader.ts'

export function defineCreateAndGetTests(test: DeclareStorageTest): void {
  test('create: returns the object with its version', async ({ storage, createKey, create }) => {
    const created = await create('ns', 'a', { labels: { app: 'x' }, nodeName: 'n1', text: 'é "quoted"' })
    const result = await storage.get(createKey('ns', 'a'))
    for (const object of [created, result]) {
      expect(object.key).toBe(createKey('ns', 'a'))
      expect(object.revision).toBe(created.revision)
      expect(object.object().metadata.resourceVersion).toBe(String(created.revision))
      expect(object.object().spec).toEqual({ nodeName: 'n1', text: 'é "quoted"' })
      expect(object.labels).toEqual({ app: 'x' })
      expect(object.field('metadata.name')).toBe('a')
      expect(object.field('metadata.namespace')).toBe('ns')
      expect(object.field('spec.nodeName')).toBe('n1')
    }
  })

  test('the body of a stored object can be inserted into a response', async ({ create }) => {
    const stored = await create('ns', 'a', { labels: { app: 'x' }, text: 'é' })
    const body = Buffer.from(stored.body)
    const response = Buffer.concat([
      Buffer.from('{"kind":"Test","apiVersion":"v1",'),
      body.subarray(1, stored.spliceAt),
      Buffer.from(`,"resourceVersion":"${stored.revision}"`),
      body.subarray(stored.spliceAt),
    ])
    expect(JSON.parse(response.toString())).toEqual({ kind: 'Test', apiVersion: 'v1', ...stored.object() })
    expect(JSON.parse(body.toString()).metadata.resourceVersion).toBeUndefined()
  })

  test('changing a copy does not change the stored object', async ({ storage, createKey, create }) => {
    const stored = await create('ns', 'a', { text: 'kept' })
    stored.copy().spec!.text = 'changed'
    expect(stored.copy().spec!.text).toBe('kept')
    expect((await storage.get(createKey('ns', 'a'))).object().spec!.text).toBe('kept')
  })

  test('create: refuses an object with a version', async ({ storage, createKey }) => {
    const object = testObject('ns', 'a')
    object.metadata.resourceVersion = '5'
    await expect(storage.create(createKey('ns', 'a'), object)).rejects.toThrow('resourceVersion should not be set on objects to be created')
  })

  test('create: does not replace an existing object', async ({ storage, createKey, create }) => {
    await create('ns', 'a', { text: 'first' })
    expect(getErrorCode(await catchFailure(create('ns', 'a', { text: 'second' })))).toBe('KeyExists')
    expect((await storage.get(createKey('ns', 'a'))).object().spec!.text).toBe('first')
  })

  test('create: watches get a DELETED event when an object expires', async ({ storage, createKey, prefix, wait }) => {
    const stored = await storage.create(createKey('ns', 'a'), testObject('ns', 'a'), { ttlSeconds: 1 })
    const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(stored.revision) })
    await wait(1100)
    const [deleted] = await reader.objects(1)
    expect(deleted).toMatchObject({ type: 'DELETED', name: 'a' })
    expect(deleted!.revision).toBeGreaterThan(stored.revision)
    expect(getErrorCode(await catchFailure(storage.get(createKey('ns', 'a'))))).toBe('KeyNotFound')
    await reader.stop()
  })

  test('get: every past version returns an object that is not older', async ({ storage, createKey, create, update }) => {
    const first = await create('ns', 'a')
    const second = await update(first, (object) => void (object.spec = { text: 'new' }))
    const later = await create('ns', 'other')
    for (const resourceVersion of ['', String(first.revision), String(second.revision), String(later.revision)]) {
      const result = await storage.get(createKey('ns', 'a'), { resourceVersion })
      if (resourceVersion === String(first.revision)) expect(result.revision).toBeGreaterThanOrEqual(first.revision)
      else expect(result.revision).toBe(second.revision)
    }
    // This check comes last, because "0" accepts any state. A cache that has not received the object yet may report that it is absent.
    expect((await storage.get(createKey('ns', 'a'), { resourceVersion: '0' })).revision).toBe(second.revision)
  })

  test('get: fails with ResourceVersionTooLarge for a future version', async ({ storage, createKey, create }) => {
    const { revision } = await create('ns', 'a')
    const error = await catchFailure(storage.get(createKey('ns', 'a'), { resourceVersion: String(revision + 1_000_000) }))
    expect(getErrorCode(error)).toBe('ResourceVersionTooLarge')
  })

  test('get: an absent object is not found', async ({ storage, createKey }) => {
    expect(getErrorCode(await catchFailure(storage.get(createKey('ns', 'none'))))).toBe('KeyNotFound')
  })

  test('every verb refuses keys that are empty, contain "." or ".." segments, or are outside of the prefix', async ({
    storage,
    prefix,
  }) => {
    const { signal } = new AbortController()
    for (const key of [
      '',
      '/',
      '.',
      '..',
      `${prefix}..`,
      `${prefix}../x`,
      `${prefix}ns/./a`,
      `${prefix}ns/..`,
      '/registry/elsewhere/ns/a',
    ]) {
      for (const call of [
        () => storage.create(key, testObject('ns', 'a')),
        () => storage.get(key),
        () => storage.list(key),
        () => storage.watch(key, { signal }),
        () => storage.delete(key),
        () => storage.guaranteedUpdate(key, (object) => ({ object: object! })),
        () => storage.count(key),
      ]) {
        expect(String(await catchFailure(call())), key).toMatch(/invalid key|empty key/)
      }
    }
  })

  test('currentRevision: is not older than an earlier write', async ({ storage, create }) => {
    await storage.checkReady()
    const { revision } = await create('ns', 'a')
    expect(await storage.getCurrentRevision()).toBeGreaterThanOrEqual(revision)
  })
}
