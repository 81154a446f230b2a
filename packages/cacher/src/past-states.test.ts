import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { settle } from '@keelson/apimachinery/testing'
import { IteratedWatch } from '@keelson/storagebackend'
import type { Storage } from '@keelson/storagebackend'
import { openFixture, prefix, withoutSnapshots } from './cacher.fixture.ts'
import type { Fixture, Pod } from './cacher.fixture.ts'

const stores = [
  { name: 'shows its past states', wrap: undefined },
  { name: 'does not show its past states', wrap: withoutSnapshots },
]
const write = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), remove: fc.boolean() })

async function listExactly({ cacher }: Fixture, revision: number): Promise<string[]> {
  const list = await cacher.list(prefix, { resourceVersion: String(revision), resourceVersionMatch: 'Exact' })
  expect(list.revision).toBe(revision)
  return Array.from(list.items, (item) => `${item.key.slice(prefix.length)}@${item.revision}`)
}

async function listInPages({ cacher }: Fixture, revision: number): Promise<string[]> {
  const items: string[] = []
  let page = await cacher.list(prefix, { resourceVersion: String(revision), resourceVersionMatch: 'Exact', limit: 2 })
  for (;;) {
    items.push(...Array.from(page.items, (item) => `${item.key.slice(prefix.length)}@${item.revision}`))
    if (page.continue === '') return items
    page = await cacher.list(prefix, { continue: page.continue, limit: 2 })
    expect(page.revision).toBe(revision)
  }
}

test.each(stores)('lists return past states unchanged, as a whole and in pages (the store $name)', async ({ wrap }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 40 }), async (writes) => {
      await using fixture = await openFixture(wrap ? { wrap } : {})
      const model = new Map<string, number>()
      const states: [revision: number, state: string[]][] = []
      for (const [i, { name, remove }] of writes.entries()) {
        if (remove && !model.has(name)) continue
        const revision = remove ? await fixture.remove('ns', name) : await fixture.put('ns', name, { note: `${i}` })
        if (remove) model.delete(name)
        else model.set(name, revision)
        const state = Array.from(model, ([each, at]) => `ns/${each}@${at}`)
        states.push([revision, state.toSorted()])
      }
      await fixture.waitUntilCurrent()
      for (const [revision, state] of states) {
        expect(await listExactly(fixture, revision)).toEqual(state)
        expect(await listInPages(fixture, revision)).toEqual(state)
      }
    }),
    { numRuns: 15 },
  )
})

test.each([
  { history: 'all of them are held', ring: {} },
  { history: 'the oldest are forgotten', ring: { minimum: 100, maximum: 100 } },
])('lists return hundreds of past states unchanged, in any order; $history', async ({ ring }) => {
  let storeReads = 0
  const countReads = (storage: Storage<Pod>): Storage<Pod> => ({
    ...withoutSnapshots(storage),
    list: (key, options) => {
      storeReads++
      return storage.list(key, options)
    },
  })
  await using fixture = await openFixture({ wrap: countReads, ring })
  const model = new Map<string, number>()
  const states = new Map<number, string[]>()
  for (let i = 0; i < 300; i++) {
    const name = `p${10 + ((i * 7) % 23)}`
    const remove = i % 5 === 4 && model.has(name)
    const revision = remove ? await fixture.remove('ns', name) : await fixture.put('ns', name, { note: `${i}` })
    if (remove) model.delete(name)
    else model.set(name, revision)
    states.set(revision, Array.from(model, ([each, at]) => `ns/${each}@${at}`).toSorted())
  }
  await fixture.waitUntilCurrent()
  storeReads = 0
  const revisions = [...states.keys()]
  for (let i = 0; i < revisions.length; i++) {
    const revision = revisions[(i * 101) % revisions.length]!
    expect(await listExactly(fixture, revision)).toEqual(states.get(revision))
  }
  // The store is asked only for states that the cache has dropped.
  if (ring.maximum === undefined) expect(storeReads).toBe(0)
  else expect(storeReads).toBeLessThanOrEqual(300 - ring.maximum + 64)
})

test('a list returns a state of the store only after the cache has received the events of that state', async () => {
  let releaseEvents: (() => void) | undefined
  await using fixture = await openFixture({
    requestProgress: undefined,
    wrap: (storage) => ({
      ...storage,
      async watch(key, options) {
        const watch = await storage.watch(key, options)
        return new IteratedWatch(
          (async function* () {
            for await (const batch of watch) {
              await new Promise<void>((resolve) => (releaseEvents = resolve))
              yield batch
            }
          })(),
        )
      },
    }),
  })
  const revision = await fixture.put('ns', 'a', { note: 'x' })
  await settle()
  const list = listExactly(fixture, revision)
  let hasListed = false
  void list.then(() => (hasListed = true))
  await settle()
  expect(hasListed).toBe(false)
  expect([...(await fixture.cacher.list(prefix, { resourceVersion: '0' })).items]).toEqual([])
  releaseEvents!()
  expect(await list).toEqual([`ns/a@${revision}`])
})
