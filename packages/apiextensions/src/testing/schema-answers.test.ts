import { readFileSync } from 'node:fs'
import { parseJson, stringifyJson } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { applySchema } from './schema-answers.ts'
import type { SchemaAnswer, SchemaQuestion } from './schema-answers.ts'

interface Recorded {
  readonly question: SchemaQuestion
  readonly answer: SchemaAnswer
}

const recorded = readFileSync(new URL('../../testdata/schemas.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => parseJson(line).value as unknown as Recorded)

// Written by tooling/e2e/src/custom-schemas/main.ts.
describe('recorded answers of kube-apiserver', () => {
  it.each(recorded.map((each, i) => [i, each] as const))('the result for schema %i is the recorded one', (_, { question, answer }) => {
    expect(applySchema(stringifyJson(question))).toEqual(answer)
  })
})
