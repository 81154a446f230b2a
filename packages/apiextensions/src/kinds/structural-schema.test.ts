import { describe, expect, test } from 'vitest'
import type { JsonSchema } from './json-schema.ts'
import { createStructuralSchema } from './structural-schema.ts'

const anything = { 'x-kubernetes-preserve-unknown-fields': true }
const convertField = (field: JsonSchema, definitions = {}): unknown =>
  createStructuralSchema({ type: 'object', properties: { field }, $defs: definitions }).properties!['field']

describe('createStructuralSchema', () => {
  test.each<[string, JsonSchema, unknown]>([
    ['a constant', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['null', { type: ['string', 'null'], minLength: 1 }, { type: 'string', minLength: 1, nullable: true }],
    ['a union with null', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, { type: 'integer', nullable: true }],
    ['a text or an integer', { type: ['string', 'integer'] }, { 'x-kubernetes-int-or-string': true }],
    ['an integer or a number', { anyOf: [{ type: 'integer' }, { type: 'number' }] }, { type: 'number' }],
    ['different types', { anyOf: [{ type: 'boolean' }, { type: 'array', items: { type: 'string' } }] }, anything],
    ['texts of a union', { anyOf: [{ const: 'a' }, { enum: ['a', 'b'] }] }, { type: 'string', enum: ['a', 'b'] }],
    [
      'a union of constrained texts',
      {
        oneOf: [
          { type: 'string', maxLength: 1 },
          { type: 'string', minLength: 5 },
        ],
      },
      { type: 'string' },
    ],
    ['anything', {}, anything],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }], items: false }, { type: 'array', items: anything }],
    ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, { type: 'object', additionalProperties: { type: 'integer' } }],
    ['an object of any fields', { type: 'object', additionalProperties: true }, { type: 'object', ...anything }],
    ['an exclusive bound', { type: 'number', exclusiveMaximum: 5 }, { type: 'number', maximum: 5, exclusiveMaximum: true }],
    ['the bounds of safe integers', { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 9 }, { type: 'integer', maximum: 9 }],
    ['a pattern', { type: 'string', pattern: '^a+$' }, { type: 'string', pattern: '^a+$' }],
    ['lookahead, which RE2 does not have', { type: 'string', pattern: '^(?!a)' }, { type: 'string' }],
    ['a reference to a group', { type: 'string', pattern: '(a)\\1' }, { type: 'string' }],
    [
      'extensions',
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ],
  ])('converts %s', (_title, schema, expected) => {
    expect(JSON.parse(JSON.stringify(convertField(schema)))).toEqual(expected)
  })

  test('keeps fields of all branches of a union, and requires those that all branches require', () => {
    const createBranch = (by: string, field: string): JsonSchema => ({
      type: 'object',
      properties: { by: { const: by }, [field]: { type: 'string' } },
      required: ['by', field],
    })
    expect(convertField({ oneOf: [createBranch('card', 'number'), createBranch('cash', 'till')] })).toEqual({
      type: 'object',
      required: ['by'],
      properties: { by: { type: 'string', enum: ['card', 'cash'] }, number: { type: 'string' }, till: { type: 'string' } },
    })
  })

  test('merges the members of allOf', () => {
    const createMember = (name: string): JsonSchema => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] })
    expect(convertField({ allOf: [createMember('a'), createMember('b')] })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a', 'b'],
    })
  })

  test('resolves references, and ends at recursive ones', () => {
    const definitions = {
      Tree: { type: 'object', properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } } },
    }
    expect(convertField({ $ref: '#/$defs/Tree', description: 'A tree.' }, definitions)).toEqual({
      type: 'object',
      description: 'A tree.',
      properties: { name: { type: 'string' }, children: { type: 'array', items: anything } },
    })
    expect(() => convertField({ $ref: '#/$defs/Missing' })).toThrow('the schema refers to #/$defs/Missing, which it does not define')
  })
})
