import { expect } from 'vitest'
import { listNames } from './list-names.ts'
import { ObjectWatchReader } from './object-watch-reader.ts'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { createPredicate, testObject } from './test-object.ts'

export function defineListTests(test: DeclareStorageTest): void {
  test('list: returns an empty list', async ({ storage, prefix }) => {
    const list = await storage.list(prefix)
    expect([[...list.items], list.continue, list.remainingItemCount]).toEqual([[], '', undefined])
    expect(list.revision).toBeGreaterThan(0)
  })

  test('list: returns objects in key order, and only those under the prefix', async ({ storage, prefix, create }) => {
    for (const [namespace, name] of [
      ['b', '1'],
      ['a', '2'],
      ['a', '1'],
      ['ab', '1'],
      ['a', '10'],
    ] as const)
      await create(namespace, name)
    expect(listNames(await storage.list(prefix))).toEqual(['a/1', 'a/10', 'a/2', 'ab/1', 'b/1'])
    expect(listNames(await storage.list(`${prefix}a/`))).toEqual(['a/1', 'a/10', 'a/2'])
    // "a" is treated as "a/", so it must not list the objects under "ab/".
    expect(listNames(await storage.list(`${prefix}a`))).toEqual(['a/1', 'a/10', 'a/2'])
    expect(await storage.count(prefix)).toBe(5)
    expect(await storage.count(`${prefix}a/`)).toBe(3)
  })

  test('count: is exact after every write', async ({ storage, prefix, createKey, create, update, wait }) => {
    const countObjects = async (): Promise<number[]> => [await storage.count(prefix), await storage.count(`${prefix}a/`)]
    expect(await countObjects()).toEqual([0, 0])
    const stored = await create('a', '1')
    expect(await countObjects()).toEqual([1, 1])
    await create('ab', '1')
    expect(await countObjects()).toEqual([2, 1])
    await update(stored, (object) => void (object.spec = { text: 'x' }))
    expect(await countObjects()).toEqual([2, 1])
    await catchFailure(create('a', '1'))
    expect(await countObjects()).toEqual([2, 1])
    await storage.delete(createKey('a', '1'))
    expect(await countObjects()).toEqual([1, 0])
    const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(stored.revision) })
    const passing = await storage.create(createKey('a', 'passing'), testObject('a', 'passing'), { ttlSeconds: 1 })
    expect(await countObjects()).toEqual([2, 1])
    await wait(1100)
    for (let ended = false; !ended;)
      ended = (await reader.objects(1)).some(({ type, revision }) => type === 'DELETED' && revision > passing.revision)
    expect(await countObjects()).toEqual([1, 0])
    await reader.stop()
  })

  test('list: selects by labels and fields', async ({ storage, prefix, create }) => {
    await create('a', '1', { labels: { app: 'x', tier: 'front' }, nodeName: 'n1' })
    await create('a', '2', { labels: { app: 'x' }, nodeName: 'n2' })
    await create('b', '3', { labels: { app: 'y' }, nodeName: 'n1' })
    await create('b', '4')
    const list = async (selectors: Parameters<typeof createPredicate>[0]): Promise<string[]> =>
      listNames(await storage.list(prefix, { predicate: createPredicate(selectors) }))
    expect(await list({ labels: 'app=x' })).toEqual(['a/1', 'a/2'])
    expect(await list({ labels: 'app in (x,y),!tier' })).toEqual(['a/2', 'b/3'])
    expect(await list({ fields: 'spec.nodeName=n1' })).toEqual(['a/1', 'b/3'])
    expect(await list({ fields: 'spec.nodeName=' })).toEqual(['b/4'])
    expect(await list({ fields: 'metadata.namespace!=a,metadata.name=3', labels: 'app' })).toEqual(['b/3'])
  })

  test('list: the revision of a list is not older than its objects', async ({ storage, prefix, create }) => {
    const { revision } = await create('a', '1')
    expect((await storage.list(prefix)).revision).toBeGreaterThanOrEqual(revision)
  })

  test('list: an empty version gives the newest state after a write', async ({ storage, prefix, create }) => {
    for (let i = 0; i < 10; i++) {
      await create('a', String(i))
      expect(listNames(await storage.list(prefix))).toHaveLength(i + 1)
    }
  })

  test('list: returns exactly a version, or a state not older than it', async ({ storage, prefix, create }) => {
    const revisions: number[] = []
    for (let i = 0; i < 5; i++) revisions.push((await create('a', String(i))).revision)
    const version = String(revisions[2])
    const exact = await storage.list(prefix, { resourceVersion: version, resourceVersionMatch: 'Exact' })
    expect([listNames(exact).length, exact.revision]).toEqual([3, revisions[2]])
    for (const resourceVersionMatch of ['NotOlderThan', undefined] as const) {
      const newer = await storage.list(prefix, { resourceVersion: version, resourceVersionMatch })
      expect(newer.revision).toBeGreaterThanOrEqual(revisions[2]!)
    }
    const limited = await storage.list(prefix, { resourceVersion: version, limit: 10 })
    expect([listNames(limited).length, limited.revision]).toEqual([3, revisions[2]])
  })

  test('list: after later writes, returns the same objects at an earlier version', async ({ storage, prefix, create }) => {
    const first = await create('a', 'first')
    const writing = (async () => {
      for (let i = 0; i < 30; i++) await create('a', String(i))
    })()
    for (let i = 0; i < 10; i++) {
      const list = await storage.list(prefix, { resourceVersion: String(first.revision) })
      const items = listNames(list)
      const earlierList = await storage.list(prefix, { resourceVersion: String(list.revision), resourceVersionMatch: 'Exact' })
      expect([listNames(earlierList), earlierList.revision]).toEqual([items, list.revision])
    }
    await writing
  })

  test('list: fails with ResourceVersionTooLarge for a future version, and the error has the current one', async ({
    storage,
    prefix,
    create,
  }) => {
    const { revision } = await create('a', '1')
    const resourceVersion = String(revision + 1_000_000)
    for (const options of [{}, { limit: 1 }, { resourceVersionMatch: 'Exact' }, { resourceVersionMatch: 'NotOlderThan' }] as const) {
      const error = await catchFailure(storage.list(prefix, { resourceVersion, ...options }))
      expect(getErrorCode(error)).toBe('ResourceVersionTooLarge')
      expect(String(error)).toContain(`Too large resource version: ${resourceVersion}, current: `)
    }
  })

  test('list: fails with ResourceVersionTooOld for a compacted version', async ({ storage, prefix, create, compact }) => {
    const old = await create('a', '1')
    await create('a', '2')
    const newest = await create('a', '3')
    await compact(newest.revision)
    const error = await catchFailure(storage.list(prefix, { resourceVersion: String(old.revision), resourceVersionMatch: 'Exact' }))
    expect(getErrorCode(error)).toBe('ResourceVersionTooOld')
    expect(String(error)).toContain('The resourceVersion for the provided list is too old.')
    const notOlder = await storage.list(prefix, { resourceVersion: String(old.revision), resourceVersionMatch: 'NotOlderThan' })
    expect(listNames(notOlder)).toHaveLength(3)
  })

  test('list: fails with BadRequest for an invalid version', async ({ storage, prefix }) => {
    const error = await catchFailure(storage.list(prefix, { resourceVersion: 'abc' }))
    expect(getErrorCode(error)).toBe('BadRequest')
    expect(String(error)).toContain(
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    )
  })
}
