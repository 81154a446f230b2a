import { expect, it } from 'vitest'
import type { JsonObject } from '../meta.ts'
import { finishTask } from '../task.ts'
import { compareStepwise, compareValuesOfType } from './compare.ts'
import { mergeTypes } from './merge-type.ts'

function createWide(count: number, createMember: (n: number) => JsonObject | string): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, createMember(n)]))
}

const wide = createWide(5000, (n) => (n % 2500 === 1 ? createWide(3000, String) : n % 2 === 0 ? 'x' : { a: 'x', b: { c: 'y' } }))

it.each([
  ['created', {}, { spec: wide, other: 'x' }],
  ['removed', { spec: wide }, { other: 'x' }],
  ['of another type', { spec: 'x' }, { spec: wide }],
  ['added to', { spec: { f1: {}, f2: 'y' } }, { spec: wide }],
])('compares wide objects in steps: %s', (_, from, to) => {
  const task = compareStepwise(mergeTypes.deduced, from, to)
  expect(task.next().done).toBe(false)
  // The text also has the order of members.
  expect(JSON.stringify(finishTask(task))).toBe(JSON.stringify(compareValuesOfType(mergeTypes.deduced, from, to)))
})

it('compares other objects in one step', () => {
  const from = { spec: createWide(500, String) }
  expect(compareStepwise(mergeTypes.deduced, from, { spec: createWide(600, String) }).next().done).toBe(true)
})
