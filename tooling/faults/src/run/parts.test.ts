import { expect, it } from 'vitest'
import { newResult, type Scenario } from '../scenarios/scenario.ts'
import { listParts } from './parts.ts'

const createScenario = (name: string, rounds: number): Scenario => ({
  name,
  about: '',
  rounds,
  roundsPerPart: 20,
  shortRounds: 1,
  run: async () => newResult(),
})
const scenarios = [createScenario('kill', 50), createScenario('cut', 30)]

it('divides scenarios into parts that cover all rounds', () => {
  expect(listParts(scenarios, {}).map(({ id, rounds }) => [id, rounds])).toEqual([
    ['kill-50-0', 20],
    ['kill-50-1', 20],
    ['kill-50-2', 10],
    ['cut-30-0', 20],
    ['cut-30-1', 10],
  ])
  expect(listParts(scenarios, { only: 'cut', rounds: 5 }).map(({ id }) => id)).toEqual(['cut-5-0'])
})

it('assigns each part to exactly one share', () => {
  const shares = [1, 2, 3].flatMap((n) => listParts(scenarios, { part: `${n}/3` }))
  expect(new Set(shares.map(({ id }) => id)).size).toBe(5)
  expect(shares).toHaveLength(5)
})

it('lists the known scenarios if none matches', () => {
  expect(() => listParts(scenarios, { only: 'nothing' })).toThrow(/scenarios: kill, cut/)
  expect(() => listParts(scenarios, { part: '3/2' })).toThrow(/N\/M/)
})
