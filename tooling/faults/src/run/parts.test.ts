import { expect, it } from 'vitest'
import { newResult, type Scenario } from '../scenarios/scenario.ts'
import { partsOf } from './parts.ts'

const scenario = (name: string, rounds: number): Scenario => ({
  name,
  about: '',
  rounds,
  roundsPerPart: 20,
  shortRounds: 1,
  run: async () => newResult(),
})
const all = [scenario('kill', 50), scenario('cut', 30)]

it('cuts scenarios into parts that have all rounds', () => {
  expect(partsOf(all, {}).map(({ id, rounds }) => [id, rounds])).toEqual([
    ['kill-50-0', 20],
    ['kill-50-1', 20],
    ['kill-50-2', 10],
    ['cut-30-0', 20],
    ['cut-30-1', 10],
  ])
  expect(partsOf(all, { only: 'cut', rounds: 5 }).map(({ id }) => id)).toEqual(['cut-5-0'])
})

it('gives every part to one share', () => {
  const shares = [1, 2, 3].flatMap((n) => partsOf(all, { part: `${n}/3` }))
  expect(new Set(shares.map(({ id }) => id)).size).toBe(5)
  expect(shares).toHaveLength(5)
})

it('says what it does not know', () => {
  expect(() => partsOf(all, { only: 'nothing' })).toThrow(/there are kill, cut/)
  expect(() => partsOf(all, { part: '3/2' })).toThrow(/N\/M/)
})
