import { createObjectStore, isStorageError, type Storage } from '@keelson/storagebackend'
import { createTestCodec, testObject, type TestObject } from '@keelson/storagebackend/testing'
import { expect, it } from 'vitest'
import { openMemory } from './index.ts'

it('an object that cannot be decoded fails exactly the verbs that read it', async () => {
  const backend = openMemory()
  const prefix = '/registry/tests/'
  const storage: Storage<TestObject> = createObjectStore({
    backend,
    codec: createTestCodec(),
    resource: { group: '', resource: 'tests' },
    prefix,
  })
  await storage.create(`${prefix}ns/good`, testObject('ns', 'good'))
  const key = `${prefix}ns/bad`
  await backend.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.from('{"not":"a record"}') }] })
  const calls: (() => Promise<unknown>)[] = [
    () => storage.get(key),
    async () => [...(await storage.list(prefix)).items],
    async () => [...(await storage.list(prefix, { limit: 5 })).items],
    () => storage.guaranteedUpdate(key, (current) => ({ object: current! })),
    () => storage.delete(key),
  ]
  for (const call of calls) {
    const error = await call().catch((e: unknown) => e)
    expect(isStorageError(error, 'Corrupt')).toBe(true)
    expect(String(error)).toContain(key)
  }
  await storage.get(`${prefix}ns/good`)
  expect(await storage.count(prefix)).toBe(2)
  const watch = await storage.watch(prefix, { resourceVersion: '0', signal: new AbortController().signal })
  await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'Corrupt' })
  await backend[Symbol.asyncDispose]()
})
