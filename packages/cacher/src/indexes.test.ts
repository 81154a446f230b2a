import { selectEverything, parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { settle } from '@keelson/apimachinery/testing'
import type { ListObjectsOptions, Predicate, Storage } from '@keelson/storagebackend'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openFixture, prefix, withoutSnapshots } from './cacher.fixture.ts'
import type { Pod } from './cacher.fixture.ts'
import { createWatchCacheMetrics } from './watch-cache-metrics.ts'

const triggerField = 'spec.nodeName'
const value = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
const change = fc.record({
  namespace: fc.constantFrom('n1', 'n2'),
  name: fc.nat(20).map((n) => `p${n}`),
  node: fc.oneof(value, fc.constant('')),
  labels: fc.option(fc.record({ app: value, tier: fc.constantFrom('x', 'y', '') }, { requiredKeys: [] }), { nil: undefined }),
  remove: fc.nat(5).map((n) => n === 0),
})
const listQuestion = fc.record({
  labels: fc.constantFrom('', 'app=a', 'app in (a,b,a)', 'app=c,tier=x', 'tier=x', 'tier=', 'none=here', 'app!=a', 'app', 'app=b,app=c'),
  fields: fc.constantFrom('', `${triggerField}=a`, `${triggerField}=`, `${triggerField}!=b`, 'metadata.name=p1'),
  key: fc.constantFrom(prefix, `${prefix}n1/`),
  limit: fc.nat(3),
  wait: fc.nat({ max: 3 }),
})
const step = fc.record({ change, question: listQuestion })

function createPredicate({ labels, fields }: { readonly labels: string; readonly fields: string }): Predicate {
  return {
    labels: labels === '' ? selectEverything() : parseLabelSelector(labels),
    fields: parseFieldSelector(fields),
  }
}

/** Waits until an index of this number of objects is built. On a busy machine, building pauses after each object. */
const findIndex = (objects: number): Promise<void> => settle(objects + 5)

/** Reads all pages of a list, each with its number of remaining objects. */
async function listPageKeys(
  storage: Storage<Pod>,
  key: string,
  options: ListObjectsOptions,
): Promise<[keys: string[], revision: number][]> {
  const pages: [string[], number][] = []
  let token = ''
  do {
    const page = await storage.list(key, { ...options, continue: token })
    pages.push([Array.from(page.items, (object) => object.key), page.revision])
    token = page.continue
  } while (token !== '')
  return pages
}

/** Removes an empty last page. The store may return one, because it reads further before it knows that there are no more objects. */
const withoutEmptyEnd = <P extends readonly [string[], number]>(pages: readonly P[]): readonly P[] =>
  pages.length > 1 && pages.at(-1)![0].length === 0 ? pages.slice(0, -1) : pages

test.each([
  { name: 'shows its states', wrap: undefined },
  { name: 'does not show its states', wrap: withoutSnapshots },
])('lists with a selector equal those of the store, whenever an index is built (the store $name)', async ({ wrap }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 30, maxLength: 60 }), fc.array(step, { maxLength: 40 }), async (first, steps) => {
      await using fixture = await openFixture({ triggerField, ...(wrap && { wrap }) })
      const apply = async ({ namespace, name, node, labels, remove }: (typeof first)[number]): Promise<void> => {
        if (remove) await fixture.remove(namespace, name).catch(() => undefined)
        else await fixture.put(namespace, name, { nodeName: node, ...(labels && { labels }) })
      }
      for (const change of first) await apply(change)
      for (const { change: next, question } of steps) {
        await apply(next)
        await settle(question.wait)
        const options = { predicate: createPredicate(question), limit: question.limit }
        const [cachedPages, storePages] = [
          await listPageKeys(fixture.cacher, question.key, options),
          await listPageKeys(fixture.store, question.key, options),
        ]
        expect(withoutEmptyEnd(cachedPages)).toEqual(withoutEmptyEnd(storePages))
      }
    }),
    { numRuns: 20 },
  )
})

test('a list by the trigger field tests only objects with the selected value', async () => {
  const registry = createMetricsRegistry()
  const metrics = createWatchCacheMetrics(registry).createResourceMetrics({ group: '', resource: 'pods' })
  await using fixture = await openFixture({ triggerField, metrics })
  for (let i = 0; i < 30; i++) await fixture.put('ns', `p${i}`, { nodeName: `node-${i % 10}` })
  await fixture.waitUntilCurrent()
  const list = async (): Promise<number> => {
    const predicate = { labels: selectEverything(), fields: parseFieldSelector(`${triggerField}=node-3`) }
    return [...(await fixture.cacher.list(prefix, { predicate, resourceVersion: '0' })).items].length
  }
  expect(await list()).toBe(3)
  await findIndex(30)
  expect(await list()).toBe(3)
  expect(registry.text()).toContain('apiserver_cache_list_fetched_objects_total{group="",index="f:spec.nodeName",resource="pods"} 6')
})

test('a list of one name in one namespace tests only that object', async () => {
  const registry = createMetricsRegistry()
  const metrics = createWatchCacheMetrics(registry).createResourceMetrics({ group: '', resource: 'pods' })
  await using fixture = await openFixture({ metrics })
  for (const name of ['a', 'b', 'c']) for (const namespace of ['n1', 'n2']) await fixture.put(namespace, name)
  await fixture.waitUntilCurrent()
  const list = async (key: string, name: string): Promise<string[]> => {
    const predicate = { labels: selectEverything(), fields: parseFieldSelector(`metadata.name=${name}`) }
    return Array.from((await fixture.cacher.list(key, { predicate })).items, (object) => object.key.slice(prefix.length))
  }
  expect(await list(`${prefix}n1/`, 'b')).toEqual(['n1/b'])
  expect(await list(`${prefix}n1`, 'z')).toEqual([])
  expect(await list(prefix, 'b')).toEqual(['n1/b', 'n2/b'])
  expect(registry.text()).toContain('apiserver_cache_list_fetched_objects_total{group="",index="f:metadata.name",resource="pods"} 2')
})

describe('label indexes', () => {
  /** Returns the number of objects that each list tests. */
  async function countFetchedObjects(
    count: number,
    createLabels: (i: number) => Record<string, string>,
    selectors: readonly string[],
  ): Promise<number[]> {
    const registry = createMetricsRegistry()
    const metrics = createWatchCacheMetrics(registry).createResourceMetrics({ group: '', resource: 'pods' })
    await using fixture = await openFixture({ metrics })
    for (let i = 0; i < count; i++) await fixture.put('ns', `p${i}`, { labels: createLabels(i) })
    await fixture.waitUntilCurrent()
    const readFetchedCount = (): number =>
      [...registry.text().matchAll(/^apiserver_cache_list_fetched_objects_total\S* (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0)
    const fetchedCounts: number[] = []
    for (const selector of selectors) {
      const oldCount = readFetchedCount()
      const predicate = { labels: parseLabelSelector(selector), fields: parseFieldSelector('') }
      await fixture.cacher.list(prefix, { predicate, resourceVersion: '0' })
      await findIndex(count)
      fetchedCounts.push(readFetchedCount() - oldCount)
    }
    return fetchedCounts
  }

  test('the second list by a label builds an index for that label', async () => {
    const selectors = ['app=a3', 'app=a4', 'app=a5', 'app in (a1,a2)', 'app=none', 'app!=a1', 'tier=x,app=a9']
    expect(await countFetchedObjects(50, (i) => ({ app: `a${i % 25}` }), selectors)).toEqual([50, 2, 2, 4, 0, 50, 2])
  })

  test('an index is not used if it finds most objects', async () => {
    const selectors = ['app=a', 'app=a', 'app=a', 'app=b']
    expect(await countFetchedObjects(50, (i) => ({ app: i === 7 ? 'b' : 'a' }), selectors)).toEqual([50, 50, 50, 1])
  })

  test('at most four labels are indexed', async () => {
    const selectors = ['a=1', 'b=1', 'c=1', 'd=1']
    expect(await countFetchedObjects(10, () => ({}), [...selectors, ...selectors, ...selectors, 'e=1', 'a=1', 'd=1'])).toEqual([
      ...Array<number>(4).fill(10),
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      10,
      10,
      0,
    ])
  })
})
