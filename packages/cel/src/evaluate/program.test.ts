import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { answer, exampleVariables } from '../testing/answers.ts'
import type { Answer } from '../testing/answers.ts'

/** Recorded results of cel-go in kube-apiserver's environment. */
const recordedAnswers = readFileSync(new URL('../../testdata/evaluations.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Answer)

describe('evaluation', () => {
  it.each(recordedAnswers)('gives the result of kube-apiserver: $text', async (recorded) => {
    expect(await answer({ text: recorded.text, variables: exampleVariables })).toEqual(recorded)
  })
})
