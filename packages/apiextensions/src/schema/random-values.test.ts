import { copyObject } from '@keelson/apimachinery'
import type { JsonObject } from '@keelson/apimachinery'
import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileSchema } from './compile-schema.ts'

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'metadata')
const limit = fc.integer({ min: 0, max: 3 })
const scalar = fc.oneof(
  fc.record({ type: fc.constant('string'), maxLength: limit, nullable: fc.boolean() }, { requiredKeys: ['type'] }),
  fc.record({ type: fc.constant('integer'), minimum: limit, default: fc.integer({ max: 5 }) }, { requiredKeys: ['type'] }),
  fc.constant({ 'x-kubernetes-preserve-unknown-fields': true }),
)
const { schema } = fc.letrec<{ schema: JSONSchemaProps }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    scalar as fc.Arbitrary<JSONSchemaProps>,
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: limit }, { requiredKeys: ['type', 'items'] }),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('schema'), minProperties: limit }, { requiredKeys: ['type'] }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
      required: fc.array(name, { maxLength: 1 }),
    }),
  ),
}))
const schemaOfObject = schema.map((a): JSONSchemaProps => ({ type: 'object', properties: { a } }))
const object = fc.record({ a: fc.jsonValue({ maxDepth: 3 }) }) as fc.Arbitrary<JsonObject>

describe('random schemas and objects', () => {
  it('a pruned object has nothing more to prune', () => {
    fc.assert(
      fc.property(schemaOfObject, object, (props, value) => {
        const compiled = compileSchema(props)
        compiled.prune(value)
        const pruned = copyObject(value)
        expect(compiled.prune(value)).toEqual([])
        expect(value).toEqual(pruned)
      }),
    )
  })

  it('setting the defaults twice changes nothing', () => {
    fc.assert(
      fc.property(schemaOfObject, object, (props, value) => {
        const compiled = compileSchema(props)
        compiled.setDefaults(value)
        const defaulted = copyObject(value)
        compiled.setDefaults(value)
        expect(value).toEqual(defaulted)
      }),
    )
  })

  it('an update that changes no specified field is accepted', () => {
    fc.assert(
      fc.property(schemaOfObject, object, (props, value) => {
        const compiled = compileSchema(props)
        compiled.prune(value)
        // Objects with fields that the schema does not specify count as changed.
        fc.pre(!JSON.stringify(props).includes('preserve-unknown-fields'))
        expect(compiled.validate(value, copyObject(value))).toEqual([])
      }),
    )
  })
})
