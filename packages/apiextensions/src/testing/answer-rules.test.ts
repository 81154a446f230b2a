import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { answerRules, askRecordedRule } from './answer-rules.ts'
import type { RecordedRule, RuleQuestion } from './answer-rules.ts'

const [first, ...lines] = readFileSync(new URL('../../testdata/rules.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
const values = JSON.parse(first!) as RuleQuestion

describe('rules', () => {
  it.each(lines.map((line) => JSON.parse(line) as RecordedRule))(
    'evaluation gives the result of kube-apiserver: $rule',
    ({ rule, answer }) => {
      expect(answerRules(askRecordedRule(values, rule))).toEqual(answer)
    },
  )
})
