import { settle } from '@keelson/apimachinery/testing'
import { newTooOldError } from '@keelson/storagebackend'
import type { ObjectList } from '@keelson/storagebackend'
import { expect, test } from 'vitest'
import { createBreakable, Collected, formatPodKey, openFixture, prefix } from './cacher.fixture.ts'
import type { Pod } from './cacher.fixture.ts'

test('a cache that lists again refuses a state that is older than the one it has returned before', async () => {
  const store = createBreakable()
  let stale: ObjectList<Pod> | undefined
  await using fixture = await openFixture({
    wrap: (storage) => {
      const wrapped = store.wrap(storage)
      return {
        ...wrapped,
        list: async (key, options) => (options?.resourceVersion === undefined && stale ? stale : wrapped.list(key, options)),
      }
    },
  })
  const { cacher, clock } = fixture
  await fixture.put('ns', 'a')
  const old = await fixture.store.list(prefix)
  await fixture.put('ns', 'b')
  await fixture.waitUntilCurrent()
  const list = await cacher.list(prefix, { resourceVersion: '0' })
  expect([...list.items]).toHaveLength(2)

  stale = { ...old, items: [...old.items] }
  store.fail(newTooOldError('', 'gone'))
  await clock.pass(500)
  await expect(cacher.checkReady()).rejects.toThrow('(re)initializing')
  expect(fixture.errors.map(String).join()).toContain(`the store listed revision ${old.revision}, which is older than ${list.revision}`)

  stale = undefined
  await clock.pass(2000)
  await cacher.checkReady()
  expect([...(await cacher.list(prefix, { resourceVersion: '0' })).items]).toHaveLength(2)
})

test('every watcher gets increasing revisions, from any start', async () => {
  await using fixture = await openFixture({ watcherLimits: { bufferedEvents: 2, examined: 3 } })
  const stop = new AbortController()
  const watches: Collected[] = []
  for (let i = 0; i < 40; i++) {
    const revision = await fixture.put('ns', `p${i % 5}`, { note: `${i}` })
    for (const resourceVersion of ['0', String(revision), String(Math.max(1, revision - 10))]) {
      watches.push(new Collected(await fixture.cacher.watch(prefix, { resourceVersion, sendInitialEvents: false, signal: stop.signal })))
    }
    if (i % 7 === 0) await settle()
  }
  await fixture.waitUntilCurrent()
  await settle(30)
  stop.abort()
  for (const { done, batches } of watches) {
    await done
    const revisions = batches.flat().map((event) => (event.type === 'BOOKMARK' ? event.revision : event.object.revision))
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
    expect(new Set(revisions).size).toBe(revisions.length)
  }
})

test('a DELETED event has the last object with the revision of the deletion, also for slow watchers', async () => {
  await using fixture = await openFixture()
  const stop = new AbortController()
  const watch = async (resourceVersion: string): Promise<Collected> =>
    new Collected(await fixture.cacher.watch(prefix, { resourceVersion, signal: stop.signal }))
  const prompt = await watch('1')
  const created = await fixture.put('ns', 'a', { note: 'first' })
  const deleted = await fixture.remove('ns', 'a')
  const updated = await fixture.put('ns', 'a', { note: 'second' })
  await fixture.waitUntilCurrent()
  const lateWatch = await watch('1')
  await settle()
  stop.abort()
  for (const { done, batches } of [prompt, lateWatch]) {
    await done
    const received = batches.flat().map((event) => {
      if (event.type === 'BOOKMARK') return event.type
      const { metadata, spec } = event.object.object()
      expect(event.object.key).toBe(formatPodKey('ns', 'a'))
      expect(metadata.resourceVersion).toBe(String(event.object.revision))
      return `${event.type} ${spec?.note}@${event.object.revision}`
    })
    expect(received).toEqual([`ADDED first@${created}`, `DELETED first@${deleted}`, `ADDED second@${updated}`])
  }
})
