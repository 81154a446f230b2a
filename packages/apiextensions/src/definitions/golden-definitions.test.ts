import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { refuseNew } from './definitions.fixture.ts'

/** Recorded responses of kube-apiserver. They are not in the repository; without them, these tests are skipped. */
const file = new URL('../../../../../shared/golden/extend/crd.jsonl', import.meta.url)

interface Step {
  readonly method: string
  readonly path: string
  readonly body: object
  readonly expect: { readonly code: number; readonly body: { readonly message?: string } }
}

const steps = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly id: string; readonly steps: readonly Step[] })
      .filter(({ id }) => id === 'scenario/crd-definitions' || id === 'scenario/crd-rule-definitions')
      .flatMap((scenario) => scenario.steps)
      .filter(({ method, path }) => method === 'POST' && path.includes('/customresourcedefinitions'))
  : []

describe.skipIf(steps.length === 0)('recorded answers of kube-apiserver', () => {
  it.each(steps.map((step, i) => [i, step] as const))('gives the recorded answer to definition %i', (_i, step) => {
    expect(refuseNew(step.body)).toBe(step.expect.code === 201 ? undefined : step.expect.body.message)
  })
})
