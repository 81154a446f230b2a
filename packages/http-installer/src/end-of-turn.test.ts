import { expect, test } from 'vitest'
import { endOfTurn } from './end-of-turn.ts'

test('who asks in one turn goes on with the others, step by step', async () => {
  const steps: string[] = []
  const go = async (name: string): Promise<void> => {
    await endOfTurn()
    steps.push(`${name}1`)
    await Promise.resolve()
    steps.push(`${name}2`)
  }
  await Promise.all([go('a'), go('b')])
  expect(steps).toEqual(['a1', 'b1', 'a2', 'b2'])
  const first = endOfTurn()
  expect(endOfTurn()).toBe(first)
  await first
  expect(endOfTurn()).not.toBe(first)
})
