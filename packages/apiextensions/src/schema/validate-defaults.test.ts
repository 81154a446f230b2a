import { formatFieldError, newFieldPath, finishTask } from '@keelson/apimachinery'
import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { describe, expect, it } from 'vitest'
import { findUnprunedDefault, validateDefaults } from './validate-defaults.ts'

function validateToMessages(properties: Record<string, JSONSchemaProps>, requiresPruned = true): readonly string[] {
  const schema: JSONSchemaProps = { type: 'object', properties }
  return finishTask(validateDefaults(schema, newFieldPath('schema'), { requiresPruned })).map(formatFieldError)
}

const embedded: JSONSchemaProps = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }

describe('validateDefaults', () => {
  it('accepts valid defaults', () => {
    expect(
      validateToMessages({
        a: { type: 'integer', default: 1 },
        b: { type: 'array', items: { type: 'string', default: 'x' }, default: [] },
      }),
    ).toEqual([])
  })

  it('reports values that the schema does not accept', () => {
    expect(validateToMessages({ a: { type: 'integer', maximum: 1, default: 2 } })).toEqual([
      'schema.properties[a].default: Invalid value: 2:  in body should be less than or equal to 1',
    ])
  })

  it('reports fields that the schema does not specify, unless older definitions have such defaults', () => {
    const a: JSONSchemaProps = { type: 'object', properties: {}, default: { b: 1 } }
    expect(validateToMessages({ a })).toEqual(['schema.properties[a].default: Invalid value: {"b":1}: must not have unknown fields'])
    expect(validateToMessages({ a }, false)).toEqual([])
    expect(finishTask(findUnprunedDefault({ type: 'object', properties: { a } }))).toEqual({ isUnpruned: true })
    expect(finishTask(findUnprunedDefault({ type: 'object', properties: { a: { ...a, default: {} } } }))).toEqual({ isUnpruned: false })
  })

  it('validates embedded resources in defaults', () => {
    expect(validateToMessages({ a: { ...embedded, default: { apiVersion: 'v1', metadata: { name: 'a/b' } } } })).toEqual([
      'schema.properties[a].default.kind: Required value',
      `schema.properties[a].default.metadata.name: Invalid value: "a/b": may not contain '/'`,
    ])
  })

  it('validates defaults of metadata as part of the resource', () => {
    const metadata: JSONSchemaProps = { type: 'object', properties: { name: { type: 'string', default: 'a/b' } } }
    expect(validateToMessages({ a: { ...embedded, properties: { metadata } } })).toEqual([
      `schema.properties[a].properties[metadata].properties[name].default: Invalid value: "a/b": must result in valid metadata: metadata.name: Invalid value: "a/b": may not contain '/'`,
    ])
  })

  it('evaluates the rules of the schema for defaults', () => {
    const rules = [{ rule: 'self > 1', message: 'too small' }]
    expect(validateToMessages({ a: { type: 'integer', default: 1, 'x-kubernetes-validations': rules } })).toEqual([
      'schema.properties[a].default: Invalid value: 1: too small',
    ])
  })
})
