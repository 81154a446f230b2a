import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareKeys } from '@keelson/storagebackend'
import { ObjectTree } from './object-tree.ts'

interface Item {
  readonly key: string
  readonly value: number
}
const key = fc.oneof(fc.stringMatching(/^[abc]{0,4}$/), fc.string({ unit: 'grapheme', maxLength: 3 }))
const step = fc.oneof(fc.record({ set: key, value: fc.nat() }), fc.record({ delete: key }))

function sorted(map: Map<string, Item>): Item[] {
  return [...map.values()].toSorted((a, b) => compareKeys(a.key, b.key))
}

describe('ObjectTree', () => {
  test('is an ordered map whose old versions do not change', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), key, key, (steps, start, end) => {
        const model = new Map<string, Item>()
        let tree = new ObjectTree<Item>()
        const old: [ObjectTree<Item>, Item[]][] = []
        steps.forEach((s, i) => {
          if (i % 50 === 0) old.push([tree, sorted(model)])
          if ('set' in s) {
            model.set(s.set, { key: s.set, value: s.value })
            tree = tree.set({ key: s.set, value: s.value })
          } else {
            model.delete(s.delete)
            tree = tree.delete(s.delete)
          }
        })
        const all = { start: '', end: undefined }
        for (const [version, items] of [...old, [tree, sorted(model)] as const]) {
          expect([...version.scan(all)]).toEqual(items)
          expect(version.size).toBe(items.length)
          const within = items.filter((i) => compareKeys(i.key, start) >= 0 && compareKeys(i.key, end) < 0)
          expect([...version.scan({ start, end })]).toEqual(within)
          expect(version.count({ start, end })).toBe(within.length)
        }
        for (const s of steps) expect(tree.get('set' in s ? s.set : s.delete)).toEqual(model.get('set' in s ? s.set : s.delete))
      }),
      { numRuns: 60 },
    )
  })

  test('stays right through many levels of splits and merges', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(3999)), fc.integer({ min: 1, max: 9 }), (numbers, deletions) => {
        const model = new Map<string, Item>()
        let tree = new ObjectTree<Item>()
        for (let i = 0; i < 12_000; i++) {
          const k = `k${numbers.next().value!}`
          // Phases that mostly fill and phases that mostly empty.
          if (i % 10 < (Math.floor(i / 3000) % 2 === 0 ? 10 - deletions : deletions)) {
            const item = { key: k, value: i }
            model.set(k, item)
            tree = tree.set(item)
          } else {
            model.delete(k)
            tree = tree.delete(k)
          }
          if (i % 1500 !== 0) continue
          const items = sorted(model)
          expect([...tree.scan({ start: '', end: undefined })]).toEqual(items)
          items.forEach((item, rank) => {
            if (tree.get(item.key) !== item) expect(tree.get(item.key)).toBe(item)
            if (tree.count({ start: '', end: item.key }) !== rank) expect(tree.count({ start: '', end: item.key })).toBe(rank)
          })
        }
      }),
      { numRuns: 5 },
    )
  })

  test('thousands of keys in, out of order, and out again', () => {
    const keys = Array.from({ length: 5000 }, (_, i) => `/registry/pods/${(i * 7919) % 5000}`)
    let tree = new ObjectTree<Item>()
    for (const k of keys) tree = tree.set({ key: k, value: 0 })
    const ordered = ObjectTree.fromSorted([...tree.scan({ start: '', end: undefined })])
    expect(tree.size).toBe(5000)
    expect([...ordered.scan({ start: '/registry/pods/4', end: undefined })]).toEqual([
      ...tree.scan({ start: '/registry/pods/4', end: undefined }),
    ])
    for (const k of keys) tree = tree.delete(k)
    expect(tree.size).toBe(0)
    expect([...tree.scan({ start: '', end: undefined })]).toEqual([])
    expect(ordered.count({ start: '/registry/pods/1', end: '/registry/pods/2' })).toBe(1111)
  })
})
