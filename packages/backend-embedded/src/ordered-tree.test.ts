import { compareKeys, type Entry } from '@keelson/storagebackend'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { OrderedTree } from './ordered-tree.ts'

const entry = (key: string, revision = 1): Entry => ({ key, value: new Uint8Array(0), createRevision: 1, modRevision: revision, lease: 0 })

const key = fc.oneof(
  { weight: 4, arbitrary: fc.nat(400).map((n) => `k${n}`) },
  { weight: 1, arbitrary: fc.constantFrom('k\u{10000}', 'k\uffff', 'k\ue000', 'k\ud7ff', 'ké', 'k', '\u{1f600}') },
)
const step = fc.oneof(
  { weight: 5, arbitrary: key.map((k) => ({ type: 'set', key: k }) as const) },
  { weight: 4, arbitrary: key.map((k) => ({ type: 'delete', key: k }) as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'snapshot' } as const) },
)

it('is a sorted array, at every snapshot', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 1500, size: 'max' }), fc.boolean(), key, key, (steps, bulk, start, end) => {
      const model = new Map<string, Entry>()
      let tree = new OrderedTree()
      const taken: [ReturnType<OrderedTree['snapshot']>, Entry[]][] = []
      const sorted = (): Entry[] => [...model.values()].sort((a, b) => compareKeys(a.key, b.key))
      if (bulk) {
        for (let i = 0; i < 300; i += 2) model.set(`k${i}`, entry(`k${i}`))
        tree = OrderedTree.fromSorted(sorted())
      }
      let revision = 1
      for (const s of steps) {
        if (s.type === 'snapshot') taken.push([tree.snapshot(), sorted()])
        else if (s.type === 'set') {
          const e = entry(s.key, ++revision)
          tree.set(e)
          model.set(s.key, e)
        } else expect(tree.delete(s.key)).toBe(model.delete(s.key))
      }
      taken.push([tree.snapshot(), sorted()])
      for (const [snapshot, entries] of taken) {
        expect(snapshot.size).toBe(entries.length)
        expect([...snapshot.scan({ start: '', end: '\u{10ffff}' })]).toEqual(entries)
        const inside = entries.filter((e) => compareKeys(e.key, start) >= 0 && compareKeys(e.key, end) < 0)
        expect([...snapshot.scan({ start, end })]).toEqual(inside)
        expect(snapshot.count({ start, end })).toBe(inside.length)
        expect(snapshot.get(start)).toBe(entries.find((e) => e.key === start))
        expect([...snapshot.scan({ start, end: undefined })]).toEqual(entries.filter((e) => e.key === start))
      }
    }),
    { numRuns: 30 },
  )
})

it('shrinks to nothing and grows again', () => {
  const tree = new OrderedTree()
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 5000; i++) tree.set(entry(`k${(i * 7919) % 5000}`))
    expect(tree.size).toBe(5000)
    for (let i = 0; i < 5000; i++) expect(tree.delete(`k${(i * 4001) % 5000}`)).toBe(true)
    expect([tree.size, [...tree.snapshot().scan({ start: '', end: 'z' })]]).toEqual([0, []])
  }
})
