import { existsSync, readFileSync } from 'node:fs'
import { formatFieldErrorBody, newFieldPath } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { compileRules } from './compiled-rules.ts'
import type { Schema } from './schema-type.ts'
import { validateDefinitionRules } from '../testing/answer-rules.ts'

const file = new URL('../../../../../shared/golden/extend/crd.jsonl', import.meta.url)

interface Body {
  readonly metadata?: { readonly name?: string }
  readonly spec?: Record<string, unknown>
  readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] }
}

interface DefinitionSpec {
  readonly group: string
  readonly names: { readonly plural: string }
  readonly versions: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: Schema } }[]
}

interface Step {
  readonly method: string
  readonly path: string
  readonly body?: Body
  readonly expect: { readonly code: number; readonly body: Body }
}

interface Scenario {
  readonly id: string
  readonly steps: readonly Step[]
}

const scenarios: readonly Scenario[] = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Scenario)
      .filter(({ id }) => /rule|expressions|eval/.test(id))
  : []

function formatErrors(errors: FieldErrorList): readonly string[] {
  return errors.map((error) => `${error.field}: ${formatFieldErrorBody(error)}`).sort()
}

function readRecordedTexts({ expect: { body } }: Step): readonly string[] {
  return (body.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`).sort()
}

function readSpec({ body }: Step): DefinitionSpec {
  return body?.spec as unknown as DefinitionSpec
}

describe.skipIf(scenarios.length === 0)('recorded requests', () => {
  it('definitions have the recorded errors', () => {
    const steps = scenarios.flatMap(({ steps: scenarioSteps }) =>
      scenarioSteps.filter(({ method, path }) => method === 'POST' && path.includes('/customresourcedefinitions')),
    )
    for (const step of steps) {
      const [version] = readSpec(step).versions
      const path = newFieldPath('spec', 'validation', 'openAPIV3Schema')
      expect(formatErrors(validateDefinitionRules(path, version!.schema!.openAPIV3Schema!))).toEqual(readRecordedTexts(step))
    }
    expect(steps.length).toBeGreaterThan(100)
  })

  it('custom objects have the recorded errors', () => {
    let compared = 0
    for (const { steps } of scenarios) {
      const schemas = new Map<string, Schema>()
      const objects = new Map<string, Body>()
      for (const step of steps) {
        if (step.path.includes('/customresourcedefinitions') && step.method === 'POST') {
          const { group, names, versions } = readSpec(step)
          for (const { name, schema } of versions) schemas.set(`${group}/${name}/${names.plural}`, schema!.openAPIV3Schema!)
        }
        const [, kind = '', name] = /^\/apis\/([^/]+\/[^/]+)\/namespaces\/[^/]+\/(?<plural>[^/?]+)(?:\/([^/?]+))?/.exec(step.path) ?? []
        const [, plural = ''] = /namespaces\/[^/]+\/([^/?]+)/.exec(step.path) ?? []
        const schema = schemas.get(`${kind}/${plural}`)
        if (schema === undefined || step.body === undefined) continue
        const key = name ?? step.body.metadata?.name ?? ''
        const old = step.method === 'POST' ? undefined : objects.get(key)
        const object = old === undefined ? step.body : { ...old, spec: { ...old.spec, ...step.body.spec } }
        if (step.expect.code < 300 && !step.path.includes('dryRun')) objects.set(key, step.expect.body)
        const expected = readRecordedTexts(step)
        // The errors of other checks are not those of rules.
        if (expected.some((text) => /some validation rules were not checked|Duplicate value/.test(text))) continue
        expect(formatErrors(compileRules(schema)!.validate(object, old, { warn: () => {} }).errors)).toEqual(expected)
        compared++
      }
    }
    expect(compared).toBeGreaterThan(60)
  })
})
