import { compareUtf8 } from '@keelson/apimachinery'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isInRange } from '../object-key.ts'
import { OrderedTree } from './ordered-tree.ts'
import type { TreeSnapshot } from './ordered-tree.ts'

interface Item {
  readonly key: string
  readonly value: number
}
const fullRange = { start: '', end: '\u{10ffff}' }
const createItem = (key: string, value = 0): Item => ({ key, value })
const sortItems = (model: Map<string, Item>): Item[] => [...model.values()].toSorted((a, b) => compareUtf8(a.key, b.key))

const key = fc.oneof(
  { weight: 6, arbitrary: fc.nat(400).map((n) => `k${n}`) },
  { weight: 1, arbitrary: fc.constantFrom('k\u{10000}', 'k\uffff', 'k\ue000', 'k\ud7ff', 'ké', 'k', '', '\u{1f600}') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 3 }) },
)
const step = fc.oneof(
  { weight: 5, arbitrary: key.map((k) => ({ type: 'set', key: k }) as const) },
  { weight: 4, arbitrary: key.map((k) => ({ type: 'delete', key: k }) as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'snapshot' } as const) },
)

function expectState(snapshot: TreeSnapshot<Item>, items: readonly Item[], start: string, end: string): void {
  expect(snapshot.size).toBe(items.length)
  expect([...snapshot.scan(fullRange)]).toEqual(items)
  for (const range of [
    { start, end },
    { start, end: undefined },
  ]) {
    const itemsInRange = items.filter((i) => isInRange(range, i.key))
    expect([...snapshot.scan(range)]).toEqual(itemsInRange)
    expect(snapshot.count(range)).toBe(itemsInRange.length)
    if (range.end === undefined) continue
    const part = snapshot.within({ start, end })
    expect([part.size, [...part.scan(fullRange)]]).toEqual([itemsInRange.length, itemsInRange])
    expect([part.get(start), part.count(fullRange)]).toEqual([
      items.find((i) => i.key === start && isInRange(range, start)),
      itemsInRange.length,
    ])
  }
  expect(snapshot.get(start)).toEqual(items.find((i) => i.key === start))
}

describe('OrderedTree', () => {
  test('a tree behaves like a sorted map, and its snapshots do not change', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 1500, size: 'max' }), fc.boolean(), key, key, (steps, bulk, start, end) => {
        const model = new Map<string, Item>()
        if (bulk) for (let i = 0; i < 300; i += 2) model.set(`k${i}`, createItem(`k${i}`))
        const tree = OrderedTree.fromSorted(sortItems(model))
        const snapshots: [TreeSnapshot<Item>, Item[]][] = []
        steps.forEach((s, i) => {
          if (s.type === 'snapshot') snapshots.push([tree.snapshot(), sortItems(model)])
          else if (s.type === 'set') {
            tree.set(createItem(s.key, i))
            model.set(s.key, createItem(s.key, i))
          } else expect(tree.delete(s.key)).toBe(model.delete(s.key))
        })
        for (const s of steps) if (s.type !== 'snapshot') expect(tree.get(s.key)).toEqual(model.get(s.key))
        snapshots.push([tree.snapshot(), sortItems(model)])
        for (const [snapshot, items] of snapshots) expectState(snapshot, items, start, end)
      }),
      { numRuns: 30 },
    )
  })

  test('a tree is correct after many splits and joins of nodes', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(3999)), fc.integer({ min: 1, max: 9 }), (numbers, deletions) => {
        const model = new Map<string, Item>()
        const tree = new OrderedTree<Item>()
        for (let i = 0; i < 12_000; i++) {
          const k = `k${numbers.next().value!}`
          // Alternate between phases that mostly add keys and phases that mostly delete keys.
          if (i % 10 < (Math.floor(i / 3000) % 2 === 0 ? 10 - deletions : deletions)) {
            const newItem = createItem(k, i)
            model.set(k, newItem)
            tree.set(newItem)
          } else {
            model.delete(k)
            tree.delete(k)
          }
          if (i % 1500 !== 0) continue
          const items = sortItems(model)
          const snapshot = tree.snapshot()
          expect([...snapshot.scan(fullRange)]).toEqual(items)
          items.forEach((item, rank) => {
            if (snapshot.get(item.key) !== item) expect(snapshot.get(item.key)).toBe(item)
            if (snapshot.count({ start: '', end: item.key }) !== rank) expect(snapshot.count({ start: '', end: item.key })).toBe(rank)
          })
        }
      }),
      { numRuns: 5 },
    )
  })

  test('adds and deletes thousands of keys in random order, twice', () => {
    const tree = new OrderedTree<Item>()
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 5000; i++) tree.set(createItem(`k${(i * 7919) % 5000}`))
      const full = tree.snapshot()
      expect(full.count({ start: 'k1', end: 'k2' })).toBe(1111)
      for (let i = 0; i < 5000; i++) expect(tree.delete(`k${(i * 4001) % 5000}`)).toBe(true)
      expect([tree.size, [...tree.snapshot().scan(fullRange)]]).toEqual([0, []])
      expect([full.size, [...full.scan({ start: 'k4', end: 'k5' })].length]).toEqual([5000, 1111])
    }
  })

  test('editing a version does not change the snapshot it was created from', () => {
    const tree = OrderedTree.fromSorted(Array.from({ length: 1000 }, (_, i) => createItem(`k${String(i).padStart(4, '0')}`)))
    const oldSnapshot = tree.snapshot()
    const otherEdit = oldSnapshot.edit()
    tree.set(createItem('k0500', 1))
    otherEdit.set(createItem('k0500', 2))
    otherEdit.delete('k0501')
    expect([oldSnapshot.get('k0500')?.value, tree.get('k0500')?.value, otherEdit.get('k0500')?.value]).toEqual([0, 1, 2])
    expect([oldSnapshot.size, tree.size, otherEdit.size]).toEqual([1000, 1000, 999])
    expect(otherEdit.snapshot()).toBe(otherEdit.snapshot())
  })

  test('a running scan does not see later writes', () => {
    const tree = OrderedTree.fromSorted(Array.from({ length: 100 }, (_, i) => createItem(`k${i + 100}`)))
    const visitedKeys: string[] = []
    for (const { key: k } of tree.snapshot().scan(fullRange)) {
      visitedKeys.push(k)
      tree.delete(k)
      tree.set(createItem(`${k}x`))
    }
    expect(visitedKeys).toEqual(Array.from({ length: 100 }, (_, i) => `k${i + 100}`))
  })
})
