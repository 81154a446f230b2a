import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OrderedTree } from './ordered-tree.ts'
import type { TreeSnapshot } from './ordered-tree.ts'

interface Item {
  readonly key: string
}
const createItem = (key: string): Item => ({ key })
const fullRange = { start: '', end: '\u{10ffff}' }

/** Compares two versions value by value. */
function compareAll(before: TreeSnapshot<Item>, after: TreeSnapshot<Item>): readonly string[] {
  const keys = new Set([...before.scan(fullRange), ...after.scan(fullRange)].map(({ key }) => key))
  return [...keys].filter((key) => before.get(key) !== after.get(key)).toSorted()
}

const key = fc.oneof(
  { weight: 9, arbitrary: fc.nat(3000).map((n) => `k${n}`) },
  { weight: 1, arbitrary: fc.constantFrom('', 'k\u{10000}', 'k\uffff') },
)
const change = fc.record({ key, deleted: fc.boolean() })

describe('changesTo', () => {
  test('yields the values that differ, whatever nodes the versions share', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 2000, size: 'max' }), fc.array(change, { maxLength: 300, size: 'max' }), (keys, changes) => {
        const tree = new OrderedTree<Item>()
        for (const k of keys) tree.set(createItem(k))
        const before = tree.snapshot()
        for (const { key: k, deleted } of changes) {
          if (deleted) tree.delete(k)
          else tree.set(createItem(k))
        }
        const after = tree.snapshot()
        for (const [from, to] of [
          [before, after],
          [after, before],
        ] as const) {
          const found = [...from.changesTo(to)]
          for (const { before: old, after: current } of found) {
            const { key: k } = (old ?? current)!
            expect([old, current]).toEqual([from.get(k), to.get(k)])
          }
          expect(found.map(({ before: old, after: current }) => (old ?? current)!.key).toSorted()).toEqual(compareAll(from, to))
        }
      }),
      { numRuns: 40 },
    )
  })

  test('reads only the nodes that differ', () => {
    let reads = 0
    const items = Array.from({ length: 50_000 }, (_, i) => {
      const name = `k${String(i).padStart(6, '0')}`
      return Object.defineProperty({} as Item, 'key', { get: () => (reads++, name) })
    })
    const tree = OrderedTree.fromSorted(items)
    const before = tree.snapshot()
    tree.set(createItem('k025000x'))
    tree.delete('k000003')
    const after = tree.snapshot()
    reads = 0
    expect([...before.changesTo(after)]).toHaveLength(2)
    expect(reads).toBeLessThan(1000)
  })
})
