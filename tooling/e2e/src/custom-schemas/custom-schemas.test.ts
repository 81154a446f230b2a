import { describe, expect, it } from 'vitest'
import { buildReference } from '../custom-resource-answers/custom-resource-answers.ts'
import { compareAnswers, createRandomQuestions } from './reference-answers.ts'

const program = await buildReference()
const count = Number(process.env['CUSTOM_SCHEMAS'] ?? 2000)
const seed = Number(process.env['CUSTOM_SCHEMAS_SEED'] ?? 1)

describe.skipIf(program === undefined)('schemas of custom resources', () => {
  it(`applies ${count} random schemas like kube-apiserver (seed ${seed})`, { timeout: 300_000 }, async () => {
    const { compared, valid, differences } = await compareAnswers(program ?? '', createRandomQuestions(seed, count))
    expect(differences).toEqual([])
    expect(compared).toBeGreaterThan(count * 0.9)
    expect(valid).toBeGreaterThan(count / 4)
  })
})
