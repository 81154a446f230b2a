import path from 'node:path'
import { openMemory } from '@keelson/backend-embedded'
import { createObjectStore, isEncryptedValue, isStorageError } from '@keelson/storagebackend'
import type { Backend, Storage, ValueTransformer } from '@keelson/storagebackend'
import { createManualClock } from '@keelson/apimachinery/testing'
import { createTestCodec, describeStorage, putInto, testObject } from '@keelson/storagebackend/testing'
import type { StorageSuiteRequest, TestObject } from '@keelson/storagebackend/testing'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { systemClock } from '@keelson/apimachinery'
import { createPrefixTransformer } from '@keelson/storagebackend'
import { createAesGcm } from './aes-gcm.ts'
import { createSecretbox } from './secretbox.ts'
import { openKmsProvider } from './kms/kms-provider.ts'
import type { KmsProvider } from './kms/kms-provider.ts'
import { startKmsPlugin } from './testing/index.ts'
import type { KmsPlugin } from './testing/index.ts'

const createKey = (value: number): Uint8Array => new Uint8Array(32).fill(value)
const gcm = createPrefixTransformer(
  [{ prefix: 'k8s:enc:aesgcm:v1:a:', transformer: createAesGcm(createKey(1)) }],
  'no matching prefix found',
)
const rotated = createPrefixTransformer(
  [
    { prefix: 'k8s:enc:secretbox:v1:b:', transformer: createSecretbox(createKey(2)) },
    { prefix: 'k8s:enc:aesgcm:v1:a:', transformer: createAesGcm(createKey(1)) },
  ],
  'no matching prefix found',
)

let directory: string
let plugin: KmsPlugin
const providers: KmsProvider[] = []
/** Creates a KMS provider with an empty key cache. */
async function openKms(): Promise<ValueTransformer> {
  const provider = await openKmsProvider({ apiVersion: 'v2', name: 'a', endpoint: plugin.endpoint }, systemClock)
  providers.push(provider)
  return createPrefixTransformer([{ prefix: 'k8s:enc:kms:v2:a:', transformer: provider.transformer }], 'no matching prefix found')
}
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'enc-'))
  plugin = await startKmsPlugin({ socket: path.join(directory, 'kms.sock') })
})
afterAll(async () => {
  for (const provider of providers) provider.close()
  await plugin[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function openStorage(request: StorageSuiteRequest, transformer: ValueTransformer) {
  const clock = createManualClock()
  const backend = openMemory({ clock })
  return {
    storage: createObjectStore<TestObject>({ transformer, ...request, backend, now: clock.now }),
    put: (key: string, value: Uint8Array) => putInto(backend)(key, request.transformer ? value : transformer.toStorage(value, key)),
    compact: (revision: number) => backend.compact(revision),
    advance: (ms: number) => clock.advance(ms),
    requestProgress: () => backend.requestProgress(),
    close: () => backend[Symbol.asyncDispose](),
  }
}
describeStorage('memory, encrypted', (request) => openStorage(request, gcm))
describeStorage('memory, encrypted by KMS', async (request) => openStorage(request, await openKms()))

const prefix = '/registry/tests/'
const key = `${prefix}ns/a`
async function openTestMemory(): Promise<Backend> {
  const backend = openMemory()
  onTestFinished(async () => backend[Symbol.asyncDispose]())
  return backend
}
const createStorage = (backend: Backend, transformer?: ValueTransformer): Storage<TestObject> =>
  createObjectStore({
    backend,
    codec: createTestCodec(),
    resource: { group: '', resource: 'tests' },
    prefix,
    ...(transformer && { transformer }),
  })
const readValue = async (backend: Backend): Promise<Buffer> => Buffer.from((await backend.get(key)).entry!.value)

test('rewrites a stale value once in an update without changes, also if the caller passes a cached object', async () => {
  const backend = await openTestMemory()
  const created = await createStorage(backend, gcm).create(key, testObject('ns', 'a'))
  const updateUnchanged = async (by: Storage<TestObject>, suggestion?: typeof created) =>
    (await by.guaranteedUpdate(key, (object) => ({ object: object! }), suggestion ? { suggestion } : {})).revision
  expect(await updateUnchanged(createStorage(backend, gcm))).toBe(created.revision)
  expect(await updateUnchanged(createStorage(backend, gcm), created)).toBe(created.revision)
  const now = createStorage(backend, rotated)
  const rewritten = await updateUnchanged(now, created)
  expect(rewritten).toBeGreaterThan(created.revision)
  expect((await readValue(backend)).subarray(0, 21).toString()).toBe('k8s:enc:secretbox:v1:')
  expect(await updateUnchanged(now)).toBe(rewritten)
  expect(await updateUnchanged(now, await now.get(key))).toBe(rewritten)
  // Switches back to the first provider, without a cached object.
  const rotatedBack = createPrefixTransformer(
    [
      { prefix: 'k8s:enc:aesgcm:v1:a:', transformer: createAesGcm(createKey(1)) },
      { prefix: 'k8s:enc:secretbox:v1:b:', transformer: createSecretbox(createKey(2)) },
    ],
    '',
  )
  expect(await updateUnchanged(createStorage(backend, rotatedBack))).toBeGreaterThan(rewritten)
})

test('decrypts each version of an object once for all reads', async () => {
  const backend = await openTestMemory()
  const countingTransformer = { ...gcm, fromStorage: vi.fn(gcm.fromStorage) }
  const by = createStorage(backend, countingTransformer)
  for (const name of ['a', 'b', 'c']) await by.create(`${prefix}ns/${name}`, testObject('ns', name))
  for (let i = 0; i < 3; i++) {
    await by.get(key)
    expect([...(await by.list(prefix)).items]).toHaveLength(3)
    expect([...(await by.list(prefix, { limit: 2 })).items]).toHaveLength(2)
  }
  expect(countingTransformer.fromStorage).toHaveBeenCalledTimes(3)
})

test('fails every verb that reads a value it cannot decrypt, before the response starts', async () => {
  const backend = await openTestMemory()
  const by = createStorage(backend, gcm)
  await by.create(`${prefix}ns/good`, testObject('ns', 'good'))
  await backend.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.from('k8s:enc:aescbc:v1:x:y') }] })
  const failingReads: [() => Promise<unknown>, string][] = [
    [() => by.get(key), 'no matching prefix found'],
    [() => by.list(prefix), `unable to transform key "${key}": no matching prefix found`],
    [() => by.list(prefix, { limit: 5 }), `unable to transform key "${key}": no matching prefix found`],
    [() => by.guaranteedUpdate(key, (object) => ({ object: object! })), 'no matching prefix found'],
    [() => by.delete(key), 'no matching prefix found'],
    // Without encryption, the storage does not decode encrypted values as objects.
    [() => createStorage(backend).get(key), 'identity transformer tried to read encrypted data'],
  ]
  for (const [call, message] of failingReads) {
    const error = await call().catch((e: unknown) => e)
    expect(isStorageError(error, 'Internal')).toBe(true)
    expect((error as Error).message).toBe(message)
  }
  await by.get(`${prefix}ns/good`)
  const watch = await by.watch(prefix, { resourceVersion: '0', signal: new AbortController().signal })
  await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'Internal',
    message: expect.stringContaining('no matching prefix found'),
  })
})

test('calls the plugin once for each of a list, a watch and an update of values from another server', async () => {
  const backend = await openTestMemory()
  const writer = createStorage(backend, await openKms())
  for (let i = 0; i < 20; i++) await writer.create(`${prefix}ns/${i}`, testObject('ns', String(i)))
  const oldCount = plugin.calls.decrypt
  const copy = (reader: ValueTransformer) => createStorage(withoutViews(backend), reader)
  for (const read of [
    async (by: Storage<TestObject>) => expect([...(await by.list(prefix)).items]).toHaveLength(20),
    async (by: Storage<TestObject>) => {
      const abort = new AbortController()
      for await (const events of await by.watch(prefix, { resourceVersion: '0', signal: abort.signal })) {
        expect(events).toHaveLength(20)
        abort.abort()
      }
    },
    async (by: Storage<TestObject>) => by.guaranteedUpdate(`${prefix}ns/3`, (object) => ({ object: object! })),
  ]) {
    await read(copy(await openKms()))
  }
  expect(plugin.calls.decrypt - oldCount).toBe(3)
  expect(isEncryptedValue((await backend.get(`${prefix}ns/3`)).entry!.value)).toBe(true)
})

/** Returns the backend without cached objects and snapshots, as another process sees it. */
function withoutViews(backend: Backend): Backend {
  const withoutView = <E extends { view?: unknown }>(entry: E): E => ({ ...entry, view: undefined })
  return {
    get: async (...args) => {
      const result = await backend.get(...args)
      return { ...result, entry: result.entry && withoutView(result.entry) }
    },
    list: async (...args) => {
      const page = await backend.list(...args)
      return { ...page, entries: page.entries.map(withoutView) }
    },
    commit: (transaction) => backend.commit(transaction),
    watch: (...args) => backend.watch(...args),
    requestProgress: () => backend.requestProgress(),
    grantLease: (ttl) => backend.grantLease(ttl),
    checkHealth: () => backend.checkHealth(),
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  }
}
