import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { answer, exampleVariables } from '@keelson/cel/testing'
import type { Answer } from '@keelson/cel/testing'
import { RandomExpressions } from './random-expressions.ts'
import { buildReference, evaluateInReference } from './reference-answers.ts'

const program = await buildReference()
const count = Number(process.env['CEL_EXPRESSIONS'] ?? 3000)
const seed = Number(process.env['CEL_SEED'] ?? 1)

/**
 * Returns whether a result is not compared. This applies to panics of the compiler, and to messages with names of Go types, which depend on
 * how a value was created.
 */
function isSkipped({ problem, error }: Answer): boolean {
  return /^(?:panic|internal error|invalid qualifier type): /.test(problem ?? error ?? '')
}

describe.skipIf(program === undefined)('CEL', () => {
  it(`evaluates ${count} random expressions like kube-apiserver (seed ${seed})`, { timeout: 300_000 }, async () => {
    const expressions = new RandomExpressions(seed)
    const texts = Array.from({ length: count }, () => expressions.next())
    const expected = await evaluateInReference(program ?? '', texts)
    const compared = expected.filter((each) => !isSkipped(each))
    const differences: { readonly expected: Answer; readonly received: Answer }[] = []
    for (const each of compared) {
      const received = await answer({ text: each.text, variables: exampleVariables })
      if (!isDeepStrictEqual(received, each)) differences.push({ expected: each, received })
    }
    expect(differences).toEqual([])
    expect(compared.filter(({ value }) => value !== undefined).length).toBeGreaterThan(count / 4)
  })
})
