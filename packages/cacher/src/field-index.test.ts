import { everything, parseFieldSelector } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { settle } from '@keelson/apimachinery/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openFixture, prefix, withoutSnapshots } from './cacher.fixture.ts'
import { createWatchCacheMetrics } from './watch-cache-metrics.ts'

const triggerField = 'spec.nodeName'
const step = fc.record({
  namespace: fc.constantFrom('n1', 'n2'),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  node: fc.constantFrom('x', 'y', ''),
  remove: fc.boolean(),
  wait: fc.nat({ max: 3 }),
})

test.each([
  { name: 'shows its states', wrap: undefined },
  { name: 'does not show its states', wrap: withoutSnapshots },
])('lists by the trigger field are the store’s, whenever the index is made, over a store that $name', async ({ wrap }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), fc.nat(10), async (steps, before) => {
      await using fixture = await openFixture({ triggerField, ...(wrap && { wrap }) })
      for (const [i, { namespace, name, node, remove, wait }] of steps.entries()) {
        if (remove) await fixture.remove(namespace, name).catch(() => undefined)
        else await fixture.put(namespace, name, { nodeName: node, note: String(i) })
        if (i < before) continue
        await settle(wait)
        for (const key of [prefix, `${prefix}n1/`]) {
          const options = { predicate: { labels: everything(), fields: parseFieldSelector(`${triggerField}=x`) }, limit: i % 3 }
          const [ours, theirs] = [await fixture.cacher.list(key, options), await fixture.store.list(key, options)]
          expect([...ours.items].map((object) => object.key)).toEqual([...theirs.items].map((object) => object.key))
          expect(ours.revision).toBe(theirs.revision)
          // The store may have looked behind the last one of a page, and found nothing more.
          if (ours.continue === '') expect(theirs.continue === '' || [...theirs.items].length === options.limit).toBe(true)
        }
      }
    }),
    { numRuns: 25 },
  )
})

test('only what has the value is looked at', async () => {
  const registry = createMetricsRegistry()
  const metrics = createWatchCacheMetrics(registry).forResource({ group: '', resource: 'pods' })
  await using fixture = await openFixture({ triggerField, metrics })
  for (let i = 0; i < 30; i++) await fixture.put('ns', `p${i}`, { nodeName: `node-${i % 10}` })
  await fixture.caughtUp()
  const list = async (): Promise<number> => {
    const predicate = { labels: everything(), fields: parseFieldSelector(`${triggerField}=node-3`) }
    return [...(await fixture.cacher.list(prefix, { predicate, resourceVersion: '0' })).items].length
  }
  expect(await list()).toBe(3)
  await settle()
  expect(await list()).toBe(3)
  expect(registry.text()).toContain('apiserver_cache_list_fetched_objects_total{group="",index="f:spec.nodeName",resource="pods"} 3')
})

test('one name in one namespace is looked up', async () => {
  const registry = createMetricsRegistry()
  const metrics = createWatchCacheMetrics(registry).forResource({ group: '', resource: 'pods' })
  await using fixture = await openFixture({ metrics })
  for (const name of ['a', 'b', 'c']) for (const namespace of ['n1', 'n2']) await fixture.put(namespace, name)
  await fixture.caughtUp()
  const list = async (key: string, name: string): Promise<string[]> => {
    const predicate = { labels: everything(), fields: parseFieldSelector(`metadata.name=${name}`) }
    return Array.from((await fixture.cacher.list(key, { predicate })).items, (object) => object.key.slice(prefix.length))
  }
  expect(await list(`${prefix}n1/`, 'b')).toEqual(['n1/b'])
  expect(await list(`${prefix}n1`, 'z')).toEqual([])
  expect(await list(prefix, 'b')).toEqual(['n1/b', 'n2/b'])
  expect(registry.text()).toContain('apiserver_cache_list_fetched_objects_total{group="",index="f:metadata.name",resource="pods"} 2')
})
