import { describe, expect, it } from 'vitest'
import { answer, recordedAnswers, recordedVariables } from './answers.fixture.ts'

describe('evaluation', () => {
  it.each(recordedAnswers)('equals kube-apiserver: $text', async (recorded) => {
    expect(await answer({ text: recorded.text, variables: recordedVariables })).toEqual(recorded)
  })
})
