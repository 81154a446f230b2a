import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { parseJson, stringifyJson } from '@keelson/apimachinery'
import { applySchema } from '@keelson/apiextensions/testing'
import type { SchemaAnswer } from '@keelson/apiextensions/testing'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
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

/** Builds the Go program that applies schemas with kube-apiserver's library. Returns its path, or undefined without Go. */
export function buildReference(): Promise<string | undefined> {
  return buildGoDirectory({ what: "the program on kube-apiserver's schemas", name: 'schema-answers', url: new URL('.', import.meta.url) })
}

/** Returns random schemas and objects as JSON. */
export function randomQuestions(seed: number, count: number): readonly string[] {
  const random = new RandomSchemas(seed)
  return Array.from({ length: count }, () => stringifyJson(random.next()))
}

/** Applies schemas with kube-apiserver's library. Returns one answer per question. */
export async function applyInReference(program: string, questions: readonly string[]): Promise<readonly SchemaAnswer[]> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(questions.map((question) => question + '\n').join(''))
  const lines = (await text(child.stdout)).trimEnd().split('\n')
  return lines.map((line) => normalize(parseJson(line).value as unknown as SchemaAnswer))
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
