import { isDeepStrictEqual } from 'node:util'
import { answerRules } from '@keelson/apiextensions/testing'
import type { RuleAnswer, RuleQuestion } from '@keelson/apiextensions/testing'
import { askReference } from '../custom-resource-answers/custom-resource-answers.ts'
import { RandomRules } from './random-rules.ts'

/** Number of answers that are requested again if a question is answered differently, because the order of maps is random in Go. */
const repetitions = 30

export interface RuleDifference {
  readonly question: RuleQuestion
  readonly expected: RuleAnswer
  readonly received: RuleAnswer
}

export interface RuleComparison {
  readonly expressions: number
  /** Number of schemas whose rules compile. */
  readonly compiled: number
  readonly skipped: number
  readonly differences: readonly RuleDifference[]
}

/** Compares the answers to random questions with those of kube-apiserver's library. */
export async function compareRules(
  program: string,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<RuleComparison> {
  const random = new RandomRules(seed)
  const questions: RuleQuestion[] = []
  let expressions = 0
  while (expressions < count) {
    const question = random.next()
    questions.push(question)
    expressions += JSON.stringify(question.schema).split(/"(?:rule|messageExpression)":/).length - 1
  }
  const differences: RuleDifference[] = []
  let compiled = 0
  let skipped = 0
  const answers = await askAboutRules(program, questions)
  for (const [i, question] of questions.entries()) {
    const expected = answers[i]!
    const isSkipped = expected.panic !== undefined || /internal error: |invalid qualifier type: /.test(JSON.stringify(expected))
    if (isSkipped) skipped++
    if (!/compilation failed|must evaluate to/.test(expected.definition.join())) compiled++
    const received = isSkipped ? expected : answerRules(question)
    if (!isDeepStrictEqual(received, expected)) differences.push({ question, expected, received })
  }
  return { expressions, compiled, skipped, differences: await withoutRandomOnes(program, differences) }
}

/** Removes differences that result from a random order: the reference gives our answer too, if it is asked often enough. */
async function withoutRandomOnes(program: string, differences: readonly RuleDifference[]): Promise<readonly RuleDifference[]> {
  const again = await askAboutRules(
    program,
    differences.flatMap(({ question }) => Array.from({ length: repetitions }, () => question)),
  )
  return differences.filter(({ received }, i) => {
    const repetitionsOfRule = again.slice(i * repetitions, (i + 1) * repetitions)
    return !repetitionsOfRule.some((other) => isDeepStrictEqual(other, received))
  })
}

/** Returns the answers of kube-apiserver's library. */
export async function askAboutRules(program: string, questions: readonly RuleQuestion[]): Promise<readonly RuleAnswer[]> {
  const answers: RuleAnswer[] = []
  for await (const line of askReference(
    program,
    'rules',
    questions.map((question) => JSON.stringify(question)),
  )) {
    answers.push(JSON.parse(line.replaceAll(/selfType\d+/g, 'selfType')) as RuleAnswer)
  }
  return answers
}
