import { settle } from '@keelson/apimachinery/testing'
import { expect, test } from 'vitest'
import { Collected, formatPodKey, openFixture, createPod, podCodec, prefix, withoutSnapshots } from './cacher.fixture.ts'
import { Cacher } from './cacher.ts'
import type { Fixture, Pod } from './cacher.fixture.ts'

const corrupt = { name: 'StorageError', code: 'Corrupt' }

async function putGarbage({ backend, clock }: Fixture): Promise<void> {
  await backend.commit({ compare: [], operations: [{ type: 'put', key: formatPodKey('ns', 'bad'), value: Buffer.from('garbage') }] })
  await settle()
  await clock.pass(500)
}
const removeGarbage = async ({ backend, clock }: Fixture): Promise<void> => {
  await backend.commit({ compare: [], operations: [{ type: 'delete', key: formatPodKey('ns', 'bad') }] })
  await clock.pass(2000)
}
const listNames = async ({ cacher }: { readonly cacher: Cacher<Pod> }, resourceVersion: string): Promise<string[]> =>
  Array.from((await cacher.list(prefix, { resourceVersion })).items, ({ key }) => key.slice(prefix.length))

test('reads with resourceVersion 0 work while the store has an unreadable object, and after its deletion', async () => {
  // Without snapshots, as on etcd, the cache keeps its own state, which stays available.
  await using fixture = await openFixture({ wrap: withoutSnapshots })
  const { cacher, clock } = fixture
  const revision = await fixture.put('ns', 'good')
  await fixture.waitUntilCurrent()
  const watch = new Collected(await cacher.watch(prefix, { resourceVersion: '0', signal: new AbortController().signal }))
  await putGarbage(fixture)
  for (let hours = 0; hours < 3; hours++) {
    expect(await listNames(fixture, '0')).toEqual(['ns/good'])
    expect(await listNames(fixture, String(revision))).toEqual(['ns/good'])
    expect((await cacher.get(formatPodKey('ns', 'good'), { resourceVersion: '0' })).revision).toBe(revision)
    // The newest state must come from the store, which fails at once.
    await expect(listNames(fixture, '')).rejects.toMatchObject(corrupt)
    await expect(listNames(fixture, String(revision + 1))).rejects.toMatchObject(corrupt)
    await clock.pass(3_600_000)
  }
  // The watch ends, because the cache gets no more events for it.
  await watch.done
  expect(watch.error).toBeDefined()

  await removeGarbage(fixture)
  const created = await fixture.put('ns', 'after')
  await fixture.waitUntilCurrent()
  await cacher.checkReady()
  expect(await listNames(fixture, '0')).toEqual(['ns/after', 'ns/good'])
  expect(await listNames(fixture, String(created))).toEqual(['ns/after', 'ns/good'])
})

test('a change in the same batch as an unreadable change still reaches the cache', async () => {
  await using fixture = await openFixture()
  const { backend, errors } = fixture
  const put = (name: string, value: Uint8Array): Promise<unknown> =>
    backend.commit({ compare: [], operations: [{ type: 'put', key: formatPodKey('ns', name), value }] })
  await Promise.all([put('good', podCodec.encode(createPod('ns', 'good'))), put('bad', Buffer.from('garbage'))])
  await settle()
  expect(errors.map(String)).toEqual([expect.stringContaining('corrupt object')])
})

test('a cache over a store with an unreadable object returns the errors of the store, and is filled after the object was deleted', async () => {
  await using fixture = await openFixture()
  await fixture.put('ns', 'good')
  await putGarbage(fixture)
  const lateCacher = new Cacher({ storage: withoutSnapshots(fixture.store), prefix, clock: fixture.clock, digestPeriod: 0 })
  await settle()
  await expect(listNames({ cacher: lateCacher }, '0')).rejects.toMatchObject(corrupt)
  await expect(lateCacher.checkReady()).rejects.toThrow('(re)initializing')
  await removeGarbage(fixture)
  await lateCacher.checkReady()
  expect(await listNames({ cacher: lateCacher }, '0')).toEqual(['ns/good'])
  await lateCacher.close()
})
