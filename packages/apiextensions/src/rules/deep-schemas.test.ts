import { newFieldPath, finishTask } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { compileRules } from './compiled-rules.ts'
import type { Schema } from './schema-type.ts'
import { validateRules } from './validate-rules.ts'

const depth = 20_000

it.each<[string, (inner: Schema) => Schema, unknown]>([
  ['objects', (inner) => ({ type: 'object', properties: { a: inner } }), {}],
  ['lists', (inner) => ({ type: 'array', items: inner }), []],
  ['maps', (inner) => ({ type: 'object', additionalProperties: inner }), {}],
])('rules may be in and around deeply nested %s', (_, wrap, value) => {
  let spec: Schema = { type: 'string', 'x-kubernetes-validations': [{ rule: "self != 'x'" }] }
  for (let i = 0; i < depth; i++) spec = wrap(spec)
  const root: Schema = { type: 'object', properties: { spec }, 'x-kubernetes-validations': [{ rule: 'has(self.spec)' }] }
  expect(finishTask(validateRules(newFieldPath('schema'), root, { ignoreExpressionCost: true })).length).toBeLessThan(4)
  const rules = compileRules(root)!
  expect(rules.validate({}).errors).toHaveLength(1)
  expect(rules.validate({ spec: value }).errors).toEqual([])
})
