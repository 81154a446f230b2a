import { expect, test } from 'vitest'
import { sharedNextTurn } from './next-turn.ts'

test('callers of one turn continue together, await by await', async () => {
  const steps: string[] = []
  const go = async (name: string): Promise<void> => {
    await sharedNextTurn()
    steps.push(`${name}1`)
    await Promise.resolve()
    steps.push(`${name}2`)
  }
  await Promise.all([go('a'), go('b')])
  expect(steps).toEqual(['a1', 'b1', 'a2', 'b2'])
})
