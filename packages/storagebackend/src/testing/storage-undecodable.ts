import { expect } from 'vitest'
import { formatEvents, ObjectWatchReader } from './object-watch-reader.ts'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest, StorageTest } from './storage-suite.ts'
import { undecodable } from './test-object.ts'

/** Creates an object that cannot be decoded. The create itself fails, because it returns the stored object. */
async function createUndecodable({ create }: StorageTest, namespace: string, name: string): Promise<void> {
  await catchFailure(create(namespace, name, { text: undecodable }))
}

export function defineUndecodableTests(test: DeclareStorageTest): void {
  test('undecodable: fails exactly the verbs that read the object', async (under) => {
    const { storage, prefix, createKey, create } = under
    await create('good', 'a')
    await createUndecodable(under, 'ns', 'bad')
    const undecodableKey = createKey('ns', 'bad')
    const listItems = async (list: ReturnType<typeof storage.list>): Promise<unknown> => [...(await list).items]
    for (const call of [
      () => storage.get(undecodableKey),
      () => listItems(storage.list(prefix)),
      () => listItems(storage.list(prefix, { limit: 5 })),
      () => listItems(storage.list(`${prefix}ns/`)),
      () => listItems(storage.list(undecodableKey, { recursive: false })),
      () => storage.guaranteedUpdate(undecodableKey, (object) => ({ object: object! })),
      () => storage.guaranteedUpdate(undecodableKey, (object) => ({ object: object! }), { ignoreNotFound: true }),
      () => storage.delete(undecodableKey),
    ]) {
      const error = await catchFailure(call())
      expect(getErrorCode(error)).toBe('Corrupt')
      expect(String(error)).toContain(undecodableKey)
    }
    expect(getErrorCode(await catchFailure(create('ns', 'bad')))).toBe('KeyExists')
    expect(await storage.count(prefix)).toBe(2)
    expect(await listItems(storage.list(`${prefix}good/`))).toHaveLength(1)
    await storage.delete(createKey('good', 'a'))
  })

  test('undecodable: a watch ends with an error at the object', async (under) => {
    const { storage, prefix, create } = under
    const start = await create('ns', 'start')
    const resourceVersion = String(start.revision)
    const open = (): Promise<ObjectWatchReader> => ObjectWatchReader.open(storage, prefix, { resourceVersion })
    const prompt = await Promise.all(Array.from({ length: 10 }, open))
    const lateWatch = await open()
    await create('ns', 'before')
    for (const reader of prompt) expect(formatEvents(await reader.objects(1))).toEqual(['ADDED before'])
    const endings = prompt.map((reader) => catchFailure(reader.next()))
    await createUndecodable(under, 'ns', 'bad')
    await create('ns', 'after')
    // A cache may instead end the watch with ResourceVersionTooOld, because it must be filled again.
    for (const ending of endings) expect(['Corrupt', 'ResourceVersionTooOld']).toContain(getErrorCode(await ending))
    for (const reader of prompt) expect(await reader.next()).toBeUndefined()
    // If the watch ends with Corrupt, it must have sent all earlier events.
    const eventKeys: string[] = []
    const error = await catchFailure(
      (async () => {
        for (;;) eventKeys.push(...formatEvents(await lateWatch.objects(1)))
      })(),
    )
    if (getErrorCode(error) === 'Corrupt') expect(eventKeys).toEqual(['ADDED before'])
    else expect(getErrorCode(error)).toBe('ResourceVersionTooOld')
    expect(eventKeys).not.toContain('ADDED after')
    expect(await lateWatch.next()).toBeUndefined()
  })

  test('undecodable: a watch fails while sending initial events', async (under) => {
    const { storage, prefix } = under
    await createUndecodable(under, 'ns', 'bad')
    const readFirstEvent = async (): Promise<unknown> => {
      const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: '0' })
      return reader.next()
    }
    // A cache may refuse the watch with NotReady, or end it with ResourceVersionTooOld because the cache must be filled again.
    expect(['Corrupt', 'NotReady', 'ResourceVersionTooOld']).toContain(getErrorCode(await catchFailure(readFirstEvent())))
  })
}
