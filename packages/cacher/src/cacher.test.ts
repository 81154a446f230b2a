import { selectEveryField, selectEverything, parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery'
import { IteratedWatch, StorageError, newTooOldError } from '@keelson/storagebackend'
import type { ObjectEvent, ObjectWatch, Predicate, Storage, WatchObjectsOptions } from '@keelson/storagebackend'
import { describe, expect, test } from 'vitest'
import { settle } from '@keelson/apimachinery/testing'
import {
  createBreakable,
  formatEvents,
  Collected,
  formatPodKey,
  openFixture,
  createPod,
  podCodec,
  prefix,
  withoutSnapshots,
} from './cacher.fixture.ts'
import type { Fixture, Pod } from './cacher.fixture.ts'

const selectByLabels = (text: string): Predicate => ({ labels: parseLabelSelector(text), fields: selectEveryField() })
const selectByFields = (text: string): Predicate => ({ labels: selectEverything(), fields: parseFieldSelector(text) })

async function listNames(fixture: Fixture, options: Parameters<Storage<Pod>['list']>[1], key = prefix): Promise<string[]> {
  return [...(await fixture.cacher.list(key, options)).items].map((o) => o.key.slice(prefix.length))
}

function open(
  fixture: Fixture,
  options: Omit<WatchObjectsOptions, 'signal'> = {},
  key = prefix,
): { seen: Promise<Collected>; stop: AbortController } {
  const stop = new AbortController()
  return { seen: fixture.cacher.watch(key, { ...options, signal: stop.signal }).then((watch) => new Collected(watch)), stop }
}

/** Creates a watch that sends no events. */
function createSilentWatch(signal: AbortSignal): ObjectWatch<Pod> {
  const end = new Promise<IteratorResult<never>>((resolve) => {
    signal.addEventListener('abort', () => resolve({ done: true, value: undefined }))
  })
  return new IteratedWatch({ [Symbol.asyncIterator]: () => ({ next: () => end }) })
}

describe('lists', () => {
  test('a list without a resourceVersion contains every earlier write', async () => {
    await using fixture = await openFixture()
    for (let i = 0; i < 20; i++) {
      await fixture.cacher.create(formatPodKey('ns', `p${i}`), { metadata: { name: `p${i}`, namespace: 'ns' } })
      const list = await fixture.cacher.list(prefix)
      expect([...list.items]).toHaveLength(i + 1)
      expect(list.revision).toBe(await fixture.store.getCurrentRevision())
    }
  })

  test('a list without a resourceVersion is answered at once, also while only other resources change', async () => {
    await using fixture = await openFixture()
    await fixture.put('ns', 'a')
    for (let i = 0; i < 20; i++) {
      const commit = await fixture.backend.commit({
        compare: [],
        operations: [{ type: 'put', key: '/registry/other/x', value: Buffer.from(String(i)) }],
      })
      // The test's clock does not advance, so a list that waits for a timer would never resolve.
      const lists = await Promise.all([fixture.cacher.list(prefix), fixture.cacher.list(prefix, { limit: 1 })])
      for (const list of lists) expect(list.revision).toBe(commit.revision)
    }
  })

  test('all pages of a list have the state of the first page', async () => {
    await using fixture = await openFixture()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await fixture.put('ns', name)
    const first = await fixture.cacher.list(`${prefix}ns`, { limit: 2 })
    expect(first.remainingItemCount).toBe(3)
    await fixture.put('ns', 'bb')
    await fixture.remove('ns', 'd')
    await fixture.waitUntilCurrent()
    const second = await fixture.cacher.list(`${prefix}ns`, { limit: 2, continue: first.continue })
    const third = await fixture.cacher.list(`${prefix}ns`, { limit: 2, continue: second.continue })
    expect([first, second, third].flatMap((page) => [...page.items].map((o) => o.key.slice(prefix.length)))).toEqual([
      'ns/a',
      'ns/b',
      'ns/c',
      'ns/d',
      'ns/e',
    ])
    expect(third.continue).toBe('')
    expect([second.revision, third.revision]).toEqual([first.revision, first.revision])
    const inStore = await fixture.store.list(`${prefix}ns`, {
      limit: 2,
      resourceVersion: String(first.revision),
      resourceVersionMatch: 'Exact',
    })
    expect(inStore.continue).toBe(first.continue)
  })

  test('a list with resourceVersion 0 ignores the limit, and pages of a list with a selector are full', async () => {
    await using fixture = await openFixture()
    for (let i = 0; i < 10; i++) await fixture.put('ns', `p${i}`, { labels: { par: i % 2 === 0 ? 'even' : 'odd' }, nodeName: `n${i % 3}` })
    await fixture.waitUntilCurrent()
    expect(await listNames(fixture, { resourceVersion: '0', limit: 3 })).toHaveLength(10)
    const page = await fixture.cacher.list(prefix, { predicate: selectByLabels('par=odd'), limit: 2 })
    expect([...page.items].map((o) => o.key.slice(prefix.length))).toEqual(['ns/p1', 'ns/p3'])
    expect([page.remainingItemCount, page.continue === '']).toEqual([undefined, false])
    expect(await listNames(fixture, { predicate: selectByFields('spec.nodeName=n1') })).toEqual(['ns/p1', 'ns/p4', 'ns/p7'])
    expect(await listNames(fixture, { recursive: false }, formatPodKey('ns', 'p4'))).toEqual(['ns/p4'])
    expect(await listNames(fixture, { recursive: false, predicate: selectByLabels('par=odd') }, formatPodKey('ns', 'p4'))).toEqual([])
  })

  test('a list of a future revision fails after three seconds, and the error has both revisions', async () => {
    await using fixture = await openFixture()
    const current = await fixture.put('ns', 'a')
    await fixture.waitUntilCurrent()
    const rejection = expect(fixture.cacher.list(prefix, { resourceVersion: '99999999999' })).rejects.toMatchObject({
      code: 'ResourceVersionTooLarge',
      message: `Too large resource version: 99999999999, current: ${current}`,
    })
    const refusedGet = expect(fixture.cacher.get(formatPodKey('ns', 'a'), { resourceVersion: '99' })).rejects.toMatchObject({
      code: 'ResourceVersionTooLarge',
    })
    await fixture.clock.pass(3000)
    await Promise.all([rejection, refusedGet])
    const soon = fixture.cacher.list(prefix, { resourceVersion: String(current + 1) })
    await fixture.put('ns', 'b')
    expect([...(await soon).items]).toHaveLength(2)
  })

  test('the store answers a list if the cache does not receive the revision in time', async () => {
    await using fixture = await openFixture({
      requestProgress: () => Promise.resolve(),
      wrap: (store) => ({ ...store, watch: (_key, { signal }) => Promise.resolve(createSilentWatch(signal)) }),
      freshnessTimeout: 1000,
    })
    await fixture.put('ns', 'a')
    const list = listNames(fixture, {})
    await settle()
    await fixture.clock.pass(1000)
    expect(await list).toEqual(['ns/a'])
    expect(await listNames(fixture, { resourceVersion: '0' })).toEqual([])
  })

  test('the store answers a list of a revision that the cache has dropped or the store has compacted', async () => {
    await using fixture = await openFixture({ ring: { minimum: 2, maximum: 2 } })
    const first = await fixture.put('ns', 'a')
    for (const name of ['b', 'c', 'd', 'e']) await fixture.put('ns', name)
    await fixture.waitUntilCurrent()
    expect(await listNames(fixture, { resourceVersion: String(first), resourceVersionMatch: 'Exact' })).toEqual(['ns/a'])
    expect(await listNames(fixture, { resourceVersion: String(first + 2), resourceVersionMatch: 'Exact' })).toEqual([
      'ns/a',
      'ns/b',
      'ns/c',
    ])
  })
})

describe('watches', () => {
  test('a watch from a revision sends the later changes of selected objects', async () => {
    await using fixture = await openFixture()
    const start = await fixture.put('ns', 'a', { labels: { k: 'x' } })
    await fixture.waitUntilCurrent()
    const startOptions = { resourceVersion: String(start) }
    const allWatch = open(fixture, startOptions)
    const selected = open(fixture, { ...startOptions, predicate: selectByLabels('k=x') })
    const namedWatch = open(fixture, { ...startOptions, predicate: selectByFields('metadata.name=b') }, `${prefix}ns`)
    const otherPrefixWatch = open(fixture, startOptions, `${prefix}other`)
    const singleKeyWatch = open(fixture, { ...startOptions, recursive: false }, formatPodKey('ns', 'a'))
    await fixture.put('ns', 'b', { labels: { k: 'y' } })
    await fixture.put('ns', 'b', { labels: { k: 'x' } })
    await fixture.put('ns', 'a', { labels: { k: 'z' } })
    await fixture.remove('ns', 'b')
    await fixture.remove('ns', 'a')
    await fixture.waitUntilCurrent()
    const toRevision = (n: number): number => start + n
    expect((await allWatch.seen).brief).toEqual([
      `ADDED ns/b@${toRevision(1)}`,
      `MODIFIED ns/b@${toRevision(2)}`,
      `MODIFIED ns/a@${toRevision(3)}`,
      `DELETED ns/b@${toRevision(4)}`,
      `DELETED ns/a@${toRevision(5)}`,
    ])
    expect((await selected.seen).brief).toEqual([
      `ADDED ns/b@${toRevision(2)}`,
      `DELETED ns/a@${toRevision(3)}`,
      `DELETED ns/b@${toRevision(4)}`,
    ])
    expect((await namedWatch.seen).brief).toEqual([
      `ADDED ns/b@${toRevision(1)}`,
      `MODIFIED ns/b@${toRevision(2)}`,
      `DELETED ns/b@${toRevision(4)}`,
    ])
    expect((await otherPrefixWatch.seen).brief).toEqual([])
    expect((await singleKeyWatch.seen).brief).toEqual([`MODIFIED ns/a@${toRevision(3)}`, `DELETED ns/a@${toRevision(5)}`])
    const deletedEvent = (await selected.seen).batches.flat()[1]!
    expect(deletedEvent.type === 'DELETED' && deletedEvent.object.object().metadata).toMatchObject({
      labels: { k: 'x' },
      resourceVersion: String(toRevision(3)),
    })
    allWatch.stop.abort()
    await (
      await allWatch.seen
    ).done
    expect((await allWatch.seen).error).toBeUndefined()
  })

  test('a watch from any state starts with its objects, followed by a bookmark on request', async () => {
    await using fixture = await openFixture()
    await fixture.put('ns', 'a')
    await fixture.put('ns', 'b')
    const list = open(fixture, { sendInitialEvents: true, allowBookmarks: true, resourceVersionMatch: 'NotOlderThan' })
    const plain = open(fixture, { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' })
    const legacy = open(fixture, {})
    const changesOnly = open(fixture, { sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' })
    await settle(20)
    await fixture.put('ns', 'c')
    await settle()
    expect((await list.seen).brief).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3', 'END@3', 'ADDED ns/c@4'])
    expect((await plain.seen).brief).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3', 'ADDED ns/c@4'])
    expect((await legacy.seen).brief).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3', 'ADDED ns/c@4'])
    expect((await changesOnly.seen).brief).toEqual(['ADDED ns/c@4'])
  })

  test('a watch from a dropped revision fails as too old, and from a future revision waits or fails', async () => {
    await using fixture = await openFixture({ ring: { minimum: 2, maximum: 2 } })
    for (const name of ['a', 'b', 'c', 'd']) await fixture.put('ns', name)
    await fixture.waitUntilCurrent()
    await expect(open(fixture, { resourceVersion: '2' }).seen).rejects.toMatchObject({
      code: 'ResourceVersionTooOld',
      message: 'too old resource version: 2 (3)',
    })
    const future = open(fixture, { resourceVersion: '6' })
    const rejection = expect(
      open(fixture, { resourceVersion: '100', sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }).seen,
    ).rejects.toMatchObject({ code: 'ResourceVersionTooLarge', revision: 100, currentRevision: 5 })
    await fixture.clock.pass(3000)
    await rejection
    await fixture.put('ns', 'e')
    await fixture.put('ns', 'f')
    await fixture.waitUntilCurrent()
    expect((await future.seen).brief).toEqual(['ADDED ns/f@7'])
  })

  test('a watch sends a bookmark every minute and before its deadline, but never before the events up to its revision', async () => {
    await using fixture = await openFixture()
    await fixture.put('ns', 'a')
    await fixture.waitUntilCurrent()
    const watch = open(fixture, { resourceVersion: '1', allowBookmarks: true, deadline: fixture.clock.now() + 90_000 })
    const withoutBookmarks = open(fixture, { resourceVersion: '1' })
    await settle()
    await fixture.clock.pass(59_000)
    await fixture.put('ns', 'b')
    await fixture.clock.pass(3000)
    expect((await watch.seen).brief).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3', 'BOOKMARK@3'])
    await fixture.put('ns', 'c')
    await fixture.clock.pass(30_000)
    expect((await watch.seen).brief.slice(3)).toEqual(['ADDED ns/c@4', 'BOOKMARK@4'])
    expect((await withoutBookmarks.seen).brief).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3', 'ADDED ns/c@4'])
  })

  test('a watch whose reader pauses continues from the event ring or ends after a timeout, without affecting other watches', async () => {
    await using fixture = await openFixture({ watcherLimits: { bufferedEvents: 3 }, stalledAfter: 10_000, ring: { minimum: 50 } })
    const start = await fixture.put('ns', 'a')
    await fixture.waitUntilCurrent()
    const options = { resourceVersion: String(start), signal: new AbortController().signal }
    const slow = (await fixture.cacher.watch(prefix, options))[Symbol.asyncIterator]()
    const asleep = (await fixture.cacher.watch(prefix, options))[Symbol.asyncIterator]()
    const first = [slow.next(), asleep.next()]
    const reader = await open(fixture, { resourceVersion: String(start) }).seen
    for (let i = 0; i < 20; i++) await fixture.put('ns', 'a', { note: String(i) })
    await fixture.waitUntilCurrent()
    expect(reader.brief).toHaveLength(20)
    const events = [...formatEvents((await first[0]!).value)]
    while (events.length < 20) events.push(...formatEvents((await slow.next()).value))
    expect(events).toEqual(reader.brief)
    await fixture.clock.pass(12_000)
    await first[1]
    await expect(asleep.next()).rejects.toMatchObject({ code: 'ResourceVersionTooOld' })
    expect((await asleep.next()).done).toBe(true)
    await fixture.put('ns', 'z')
    await fixture.waitUntilCurrent()
    expect(formatEvents((await slow.next()).value)).toEqual([reader.brief.at(-1)])
  })

  test('all watches get the same event objects, so that each event is encoded once', async () => {
    await using fixture = await openFixture()
    const watches = [open(fixture, { resourceVersion: '1' }), open(fixture, { resourceVersion: '1', predicate: selectByLabels('!none') })]
    await fixture.put('ns', 'a')
    await fixture.put('ns', 'a', { note: 'x' })
    await fixture.remove('ns', 'a')
    await fixture.waitUntilCurrent()
    const [first, second] = await Promise.all(watches.map(async ({ seen }) => (await seen).batches.flat()))
    expect(first).toHaveLength(3)
    first!.forEach((event, i) => expect(event).toBe(second![i]))
  })

  test('a watch sends all events of one revision in one batch', async () => {
    await using fixture = await openFixture()
    const { seen } = open(fixture, { resourceVersion: '1' })
    await fixture.backend.commit({
      compare: [],
      operations: ['a', 'b', 'c'].map((name) => ({
        type: 'put',
        key: formatPodKey('ns', name),
        value: podCodec.encode(createPod('ns', name)),
      })),
    })
    await fixture.waitUntilCurrent()
    expect((await seen).batches.map(formatEvents)).toEqual([['ADDED ns/a@2', 'ADDED ns/b@2', 'ADDED ns/c@2']])
  })
})

describe('after the watch of the store fails', () => {
  test('the cache continues at its last revision, without an effect on its watchers', async () => {
    const store = createBreakable()
    await using fixture = await openFixture(store)
    const { seen } = open(fixture, { resourceVersion: '1' })
    await fixture.put('ns', 'a')
    await settle()
    store.fail(new Error('connection lost'))
    await fixture.put('ns', 'b')
    await fixture.clock.pass(1000)
    await fixture.put('ns', 'c')
    await fixture.waitUntilCurrent()
    expect((await seen).brief).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3', 'ADDED ns/c@4'])
    expect(store.opened).toEqual(['1', '2'])
    expect(fixture.errors).toHaveLength(1)
    expect((await fixture.cacher.compareWithStore()).equal).toBe(true)
  })

  test('the cache skips events that the new watch sends again', async () => {
    const store = createBreakable()
    await using fixture = await openFixture({
      wrap: (inner) => store.wrap({ ...inner, watch: (key, options) => inner.watch(key, { ...options, resourceVersion: '1' }) }),
    })
    const { seen } = open(fixture, { resourceVersion: '1' })
    await fixture.put('ns', 'a')
    await fixture.remove('ns', 'a')
    await settle()
    store.fail(new Error('connection lost'))
    await fixture.clock.pass(1000)
    await fixture.put('ns', 'b')
    await fixture.waitUntilCurrent()
    expect((await seen).brief).toEqual(['ADDED ns/a@2', 'DELETED ns/a@3', 'ADDED ns/b@4'])
  })

  test('the cache lists again and ends its watchers as too old if the store has compacted its revision', async () => {
    const store = createBreakable()
    await using fixture = await openFixture(store)
    const { seen } = open(fixture, { resourceVersion: '1' })
    await fixture.put('ns', 'a')
    await settle()
    store.fail(newTooOldError('', 'gone'))
    await fixture.put('ns', 'b')
    await fixture.clock.pass(1000)
    await fixture.waitUntilCurrent()
    const old = await seen
    await old.done
    expect(old.brief).toEqual(['ADDED ns/a@2'])
    expect(old.error).toMatchObject({ code: 'ResourceVersionTooOld' })
    await expect(open(fixture, { resourceVersion: '2' }).seen).rejects.toMatchObject({ code: 'ResourceVersionTooOld' })
    expect(await listNames(fixture, {})).toEqual(['ns/a', 'ns/b'])
    expect((await fixture.cacher.compareWithStore()).equal).toBe(true)
  })
})

test('a cache whose objects cannot be converted is filled at most every five seconds, until a conversion succeeds', async () => {
  let isBroken = false
  let lists = 0
  const store = createBreakable()
  await using fixture = await openFixture({
    wrap: (storage) => {
      const wrapped = store.wrap(storage)
      return {
        ...wrapped,
        async list(key, options) {
          lists++
          if (isBroken) throw new StorageError({ code: 'ConversionFailed', key, message: 'the webhook is down' })
          return wrapped.list(key, options)
        },
      }
    },
  })
  const { cacher, clock } = fixture
  isBroken = true
  store.fail(newTooOldError('', 'gone'))
  await clock.pass(30_000)
  lists = 0
  await clock.pass(30_000)
  expect(lists).toBe(6)
  isBroken = false
  await clock.pass(5000)
  await cacher.checkReady()
})

describe('other methods', () => {
  test('passes the cached object to updates and deletes of the store as a suggestion', async () => {
    const suggested: (number | undefined)[] = []
    await using fixture = await openFixture({
      wrap: (store) => ({
        ...store,
        guaranteedUpdate: (key, tryUpdate, options) => {
          suggested.push(options?.suggestion?.revision)
          return store.guaranteedUpdate(key, tryUpdate, options)
        },
        delete: (key, options) => {
          suggested.push(options?.suggestion?.revision)
          return store.delete(key, options)
        },
      }),
    })
    const revision = await fixture.put('ns', 'a')
    await fixture.waitUntilCurrent()
    await fixture.cacher.guaranteedUpdate(formatPodKey('ns', 'a'), (current) => ({ object: { ...current!, spec: { note: 'changed' } } }))
    await fixture.waitUntilCurrent()
    await fixture.cacher.delete(formatPodKey('ns', 'a'))
    expect(suggested).toEqual([revision, revision + 1])
  })

  test('a get without a resourceVersion reads from the store, and any other get from the cache', async () => {
    await using fixture = await openFixture()
    const revision = await fixture.put('ns', 'a')
    expect((await fixture.cacher.get(formatPodKey('ns', 'a'))).revision).toBe(revision)
    expect((await fixture.cacher.get(formatPodKey('ns', 'a'), { resourceVersion: String(revision) })).revision).toBe(revision)
    await expect(fixture.cacher.get(formatPodKey('ns', 'b'), { resourceVersion: '0' })).rejects.toMatchObject({ code: 'KeyNotFound' })
  })

  test('the periodic comparison with the store reports the key of a change that the cache missed', async () => {
    await using fixture = await openFixture({
      wrap: (store) => ({
        ...withoutSnapshots(store),
        async watch(key, options) {
          const isLost = (event: ObjectEvent<Pod>): boolean => event.type === 'MODIFIED' && event.object.key === formatPodKey('ns', 'a')
          const watch = await store.watch(key, options)
          return new IteratedWatch(
            (async function* () {
              for await (const batch of watch) yield batch.filter((event) => !isLost(event))
            })(),
          )
        },
      }),
      digestPeriod: undefined,
      random: () => 0,
    })
    await fixture.put('ns', 'a')
    await fixture.put('ns', 'b')
    await fixture.waitUntilCurrent()
    await fixture.clock.pass(300_000)
    expect(fixture.errors).toEqual([])
    await fixture.put('ns', 'a', { note: 'changed' })
    await fixture.waitUntilCurrent()
    await fixture.clock.pass(300_000)
    expect(fixture.errors.map(String)).toEqual([expect.stringContaining(`differs from its store at ${formatPodKey('ns', 'a')}`)])
  })
})
