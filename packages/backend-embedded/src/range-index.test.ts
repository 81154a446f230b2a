import { isInRange } from '@keelson/storagebackend'
import type { KeyRange } from '@keelson/storagebackend'
import { array, assert, boolean, constantFrom, integer, option, property, record, string, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { RangeIndex } from './range-index.ts'

interface Member {
  readonly range: KeyRange
}

const letters = ['/', 'a', 'b', 'é', '\u{ffff}', '\u{10000}']
const key = string({ unit: constantFrom(...letters), minLength: 1, maxLength: 4 })
const range = tuple(key, option(key)).map(([start, end]): KeyRange => ({ start, end: end ?? undefined }))

function findMembers(index: RangeIndex<Member>, at: string): readonly Member[] {
  const members: Member[] = []
  index.forEach(at, (member) => members.push(member))
  return members
}

it('finds exactly the ranges that contain a key, after any additions and deletions', () => {
  const steps = array(record({ range, deletes: boolean(), which: integer({ min: 0, max: 100 }) }), { maxLength: 60 })
  assert(
    property(steps, array(key, { minLength: 1, maxLength: 8 }), (changes, keys) => {
      const index = new RangeIndex<Member>()
      const members: Member[] = []
      for (const { range: added, deletes, which } of changes) {
        if (deletes && members.length > 0) index.delete(members.splice(which % members.length, 1)[0]!)
        else {
          const member = { range: added }
          members.push(member)
          index.add(member)
        }
        for (const at of keys) {
          const expected = members.filter((member) => isInRange(member.range, at))
          expect(new Set(findMembers(index, at))).toEqual(new Set(expected))
          expect(findMembers(index, at)).toHaveLength(expected.length)
        }
      }
      expect([index.size, [...index.all()]]).toEqual([members.length, members])
    }),
  )
})

it('calls each range once if ranges are added and deleted meanwhile', () => {
  const index = new RangeIndex<Member>()
  const members = ['a', 'b', 'c'].map((start): Member => ({ range: { start, end: 'z' } }))
  for (const member of members) index.add(member)
  const called: Member[] = []
  index.forEach('m', (member) => {
    called.push(member)
    for (const other of members) index.delete(other)
    index.add({ range: { start: 'l', end: 'n' } })
  })
  expect(called).toEqual(members)
  expect(findMembers(index, 'm')).toHaveLength(3)
})

it('finds ranges after thousands of others were added and deleted', () => {
  const index = new RangeIndex<Member>()
  const keptMember = { range: { start: 'a', end: 'z' } }
  index.add(keptMember)
  for (let i = 0; i < 10_000; i++) {
    const member = { range: { start: `k${i}/`, end: `k${i}0` } }
    index.add(member)
    expect(findMembers(index, `k${i}/x`)).toEqual([keptMember, member])
    index.delete(member)
    expect(findMembers(index, `k${i}/x`)).toEqual([keptMember])
  }
})
