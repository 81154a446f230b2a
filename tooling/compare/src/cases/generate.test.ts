import { assert, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scenarios } from '../scenarios/index.ts'
import { testSubjects as subjects } from '../subjects.fixture.ts'
import type { Case } from './case.ts'
import { generateCase } from './generate.ts'
import { isHarmless } from './harmless.ts'

const options = { scenarios, subjects, wanted: () => true }
const seeds = integer({ min: 0, max: 2 ** 31 })

describe('generateCase', () => {
  it('returns the same case for the same seed', () => {
    assert(
      property(seeds, (seed) => {
        expect(generateCase(seed, options)).toEqual(generateCase(seed, options))
      }),
    )
  })

  it('returns the same case with and without a filter', () => {
    assert(
      property(seeds, (seed) => {
        const generated = generateCase(seed, options)!
        expect(generateCase(seed, { ...options, wanted: (id) => id === generated.id })).toEqual(generated)
        expect(generateCase(seed, { ...options, wanted: () => false })).toBeUndefined()
      }),
    )
  })

  it('writes only to objects of the run', () => {
    assert(
      property(seeds, (seed) => {
        const foreign = generateCase(seed, options)!.steps.filter((step) => !isHarmless(step))
        expect(foreign).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('covers every scenario and kind within 1,000 seeds', () => {
    const cases = Array.from({ length: 1000 }, (_, seed) => generateCase(seed, options)!)
    const listDistinct = (of: (one: Case) => string): string[] => [...new Set(cases.map(of))].toSorted()
    expect(listDistinct(({ scenario }) => scenario)).toEqual(scenarios.map(({ name }) => name).toSorted())
    expect(listDistinct(({ kind }) => kind)).toEqual(subjects.map(({ kind }) => kind).toSorted())
  })
})
