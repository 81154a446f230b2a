import { isDeepStrictEqual } from 'node:util'
import { parseJson, stringifyJson } from '@keelson/apimachinery'
import { applySchema } from '@keelson/apiextensions/testing'
import type { SchemaAnswer } from '@keelson/apiextensions/testing'
import { askReference } from '../custom-resource-answers/custom-resource-answers.ts'
import { RandomSchemas } from './random-schemas.ts'

/** A question and the different answers of kube-apiserver's library and of `@keelson/apiextensions`. */
export interface Difference {
  readonly question: string
  readonly expected: SchemaAnswer
  readonly received: SchemaAnswer
}

export interface Comparison {
  /** Number of structural schemas. The others are not compared. */
  readonly compared: number
  /** Number of objects that are valid on both sides. */
  readonly valid: number
  readonly differences: readonly Difference[]
}

/** Returns random schemas and objects as JSON. */
export function createRandomQuestions(seed: number, count: number): readonly string[] {
  const random = new RandomSchemas(seed)
  return Array.from({ length: count }, () => stringifyJson(random.next()))
}

/** Applies schemas with kube-apiserver's library. Returns one answer per question. */
export async function applyInReference(program: string, questions: readonly string[]): Promise<readonly SchemaAnswer[]> {
  const answers: SchemaAnswer[] = []
  for await (const line of askReference(program, 'schemas', questions)) {
    answers.push(normalize(parseJson(line).value as unknown as SchemaAnswer))
  }
  return answers
}

/** Sorts the errors as `applySchema` does. Removes the empty members of an answer that has only a problem or a coercion error. */
function normalize({ problem, coercion, ...answer }: SchemaAnswer): SchemaAnswer {
  if (problem !== undefined) return { problem }
  if (coercion !== undefined) return { coercion }
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [
      key,
      key !== 'unknown' && Array.isArray(value) ? (value as readonly string[]).toSorted() : value,
    ]),
  )
}

/** Applies random schemas on both sides. */
export async function compareAnswers(program: string, questions: readonly string[]): Promise<Comparison> {
  const answers = await applyInReference(program, questions)
  const differences: Difference[] = []
  let compared = 0
  let valid = 0
  for (const [i, expected] of answers.entries()) {
    if (expected.problem !== undefined) continue
    compared++
    const received = applySchema(questions[i]!)
    if (!isDeepStrictEqual(received, expected)) differences.push({ question: questions[i]!, expected, received })
    else if (expected.errors?.length === 0 && expected.embedded!.length === 0 && expected.listTypes!.length === 0) valid++
  }
  return { compared, valid, differences }
}
