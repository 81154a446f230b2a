import { expect } from 'vitest'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { createPredicate } from './test-object.ts'

export function defineSingleTests(test: DeclareStorageTest): void {
  test('list: lists a single key, with every combination of version and match', async ({
    storage,
    prefix,
    createKey,
    create,
    update,
    put,
  }) => {
    const oldObject = await create('ns', 'foo', { nodeName: 'n1' })
    const now = await update(oldObject, (object) => void (object.spec = { nodeName: 'n2' }))
    await create('ns', 'foobar')
    await put(`${prefix.slice(0, -1)}-elsewhere/x`, Buffer.from('x'))
    const future = String(now.revision + 1_000_000)
    const cases: { rv?: string; match?: 'Exact' | 'NotOlderThan'; gives: readonly number[] | 'ResourceVersionTooLarge' }[] = [
      { gives: [now.revision] },
      { rv: '0', gives: [oldObject.revision, now.revision] },
      { rv: '0', match: 'NotOlderThan', gives: [oldObject.revision, now.revision] },
      { rv: String(now.revision), gives: [now.revision] },
      { rv: String(now.revision), match: 'NotOlderThan', gives: [now.revision] },
      { rv: String(now.revision), match: 'Exact', gives: [now.revision] },
      { rv: String(oldObject.revision), gives: [oldObject.revision, now.revision] },
      { rv: String(oldObject.revision), match: 'NotOlderThan', gives: [oldObject.revision, now.revision] },
      { rv: String(oldObject.revision), match: 'Exact', gives: [oldObject.revision] },
      { rv: future, gives: 'ResourceVersionTooLarge' },
      { rv: future, match: 'Exact', gives: 'ResourceVersionTooLarge' },
      { rv: future, match: 'NotOlderThan', gives: 'ResourceVersionTooLarge' },
    ]
    for (const { rv: resourceVersion = '', match: resourceVersionMatch, gives } of cases) {
      for (const limit of [0, 1, 5]) {
        const options = { recursive: false, resourceVersion, resourceVersionMatch, limit }
        const title = JSON.stringify({ ...options, before: oldObject.revision, now: now.revision })
        const list = storage.list(createKey('ns', 'foo'), options)
        if (gives === 'ResourceVersionTooLarge') {
          expect(getErrorCode(await catchFailure(list)), title).toBe(gives)
          continue
        }
        const { items, continue: token, remainingItemCount, revision } = await list
        const objects = [...items]
        // A cache that has not received the object yet may return an empty list.
        if (resourceVersion !== '0' || objects.length > 0) expect(objects, title).toHaveLength(1)
        for (const object of objects) expect(gives, title).toContain(object.revision)
        expect([token, remainingItemCount], title).toEqual(['', undefined])
        expect(revision, title).toBeGreaterThanOrEqual(objects[0]?.revision ?? 1)
        expect([...(await storage.list(createKey('ns', 'none'), { ...options, resourceVersionMatch })).items], title).toEqual([])
        const predicate = createPredicate({ fields: 'metadata.name!=foo' })
        expect([...(await storage.list(createKey('ns', 'foo'), { ...options, predicate })).items], title).toEqual([])
      }
    }
  })

  test('list: treats a prefix without a final slash as if it had one', async ({ storage, prefix, create }) => {
    for (const [namespace, name] of [
      ['foo', 'bar'],
      ['foobar', 'bar'],
      ['foo', 'barbaz'],
    ] as const)
      await create(namespace, name)
    const listKeys = async (below: string, recursive: boolean): Promise<string[]> =>
      Array.from((await storage.list(prefix + below, { recursive })).items, (object) => object.key.slice(prefix.length))
    for (const below of ['foo', 'foo/']) expect(await listKeys(below, true)).toEqual(['foo/bar', 'foo/barbaz'])
    expect(await listKeys('foo/bar', true)).toEqual([])
    expect(await listKeys('foo/bar', false)).toEqual(['foo/bar'])
    expect(await listKeys('foo', false)).toEqual([])
  })
}
