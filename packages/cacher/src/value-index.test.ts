import { settle } from '@keelson/apimachinery/testing'
import { OrderedTree } from '@keelson/storagebackend'
import type { ObjectSnapshot, StoredObject } from '@keelson/storagebackend'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { CacheEvent } from './cache-event.ts'
import { formatPodKey, createPod, podCodec, prefix } from './cacher.fixture.ts'
import type { Pod } from './cacher.fixture.ts'
import { ValueIndex } from './value-index.ts'

const label = 'app'
const fullRange = { start: prefix, end: `${prefix}~` }
const hour = 3_600_000

function createStoredPod(name: string, value: string | undefined, revision: number): StoredObject<Pod> {
  const key = formatPodKey('ns', name)
  return podCodec.open(key, podCodec.encode(createPod('ns', name, value === undefined ? {} : { labels: { [label]: value } })), revision)
}

/** A set of objects, the changes to them, and an index over them. */
class Subject {
  readonly index: ValueIndex<Pod> = new ValueIndex<Pod>(prefix, (object) => object.labels?.[label])
  readonly #tree = new OrderedTree<StoredObject<Pod>>()
  #revision = 0

  put(name: string, value: string | undefined, time = 0): void {
    this.#change(name, createStoredPod(name, value, this.#revision + 1), time)
  }

  remove(name: string): void {
    this.#change(name, undefined, 0)
  }

  /** Returns the keys that the index finds, or undefined while the index is being built. Building pauses after each object. */
  ask(...values: string[]): string[] | undefined {
    const tree = this.#tree.snapshot()
    const selected = new Set(values)
    const state = { scan: (range: typeof fullRange) => yieldSlowly(tree.scan(range)) } as unknown as ObjectSnapshot<Pod>
    const count = this.index.count(selected, state, 0)
    if (count === undefined) return undefined
    const keys = this.index.keysIn(fullRange, selected)
    expect(keys).toHaveLength(count)
    return keys
  }

  expected(...values: string[]): string[] {
    const objects = [...this.#tree.snapshot().scan(fullRange)]
    return objects.filter((object) => values.includes(object.labels?.[label] ?? '-')).map((object) => object.key)
  }

  #change(name: string, object: StoredObject<Pod> | undefined, time: number): void {
    const key = formatPodKey('ns', name)
    const previous = this.#tree.get(key)
    if (object === undefined) this.#tree.delete(key)
    else this.#tree.set(object)
    this.index.apply(new CacheEvent<Pod>({ key, revision: ++this.#revision, object, previous, time }))
  }
}

function* yieldSlowly<V>(values: Iterable<V>): Generator<V> {
  for (const value of values) {
    const end = performance.now() + 4.5
    while (performance.now() < end);
    yield value
  }
}

const change = fc.record({ name: fc.nat(9).map(String), value: fc.option(fc.constantFrom('a', 'b', 'c')), remove: fc.boolean() })

test('an index includes the changes during and after its building', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 12, maxLength: 24 }), fc.nat(8), async (changes, first) => {
      const subject = new Subject()
      for (const [i, { name, value, remove }] of changes.entries()) {
        if (remove) subject.remove(name)
        else subject.put(name, value ?? undefined)
        if (i < first) continue
        await settle(1)
        for (const values of [['a'], ['b', 'c'], ['none']])
          expect(subject.ask(...values) ?? subject.expected(...values)).toEqual(subject.expected(...values))
      }
    }),
    { numRuns: 15 },
  )
})

test('the first change after a long time without use drops the index', () => {
  const subject = new Subject()
  subject.ask('a')
  subject.put('1', 'a', hour / 60)
  expect(subject.ask('a')).toHaveLength(1)
  subject.put('2', 'a', hour)
  expect(subject.ask('a')).toBeUndefined()
})

test('an index keeps the keys of all values except frequent ones', () => {
  const subject = new Subject()
  subject.ask('a')
  for (let i = 0; i <= 1 << 14; i++) subject.put(String(i), i % 1000 === 7 ? 'b' : 'a')
  expect(subject.ask('a')).toEqual(subject.expected('a'))
  for (let i = 0; i < 20; i++) subject.put(`x${i}`, 'a')
  expect(subject.ask('a')).toBeUndefined()
  expect(subject.ask('b')).toEqual(subject.expected('b'))
  subject.index.reset()
  expect(subject.ask('b')).toBeUndefined()
})
