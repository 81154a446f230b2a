import { copyObject, stringifyJson, UndecodedObject } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRecordCodec } from './record-codec.ts'

interface Definition extends KubeObject {
  spec: { names?: object; versions?: { name?: string; schema?: { openAPIV3Schema?: unknown } }[] | null }
}

const largeMember = { path: ['spec', 'versions', '*', 'schema'], member: 'openAPIV3Schema' }
const codec = createRecordCodec<Definition>({ kind: 'Definition', schemaVersion: 1, largeMember, toJson: stringifyJson })
const open = (object: Definition, revision = 7) => codec.open('/k', codec.encode(object), revision)
const newDefinition = (spec: Definition['spec'], overrides: object = {}): Definition => ({ metadata: { name: 'a', ...overrides }, spec })

it('decodes every object as a whole if all members are read, and encodes it as the same bytes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ schema: fc.json({ maxDepth: 3 }), first: fc.boolean() }), { maxLength: 4 }),
      fc.string({ unit: 'binary' }),
      (schemas, text) => {
        const versions = schemas.map(({ schema, first }, i) => {
          const openAPIV3Schema = { default: JSON.parse(schema) as unknown, properties: { schema: { openAPIV3Schema: { text } } } }
          const member = { schema: { openAPIV3Schema } }
          return first ? { ...member, name: `v${i}` } : { name: `v${i}`, ...member, columns: [{ schema: 1, text }] }
        })
        const names = { text, shortNames: [text, '"schema":{"openAPIV3Schema":{'] }
        const managedFields = [{ manager: text, fieldsV1: { 'f:schema': {} } }]
        const definition = newDefinition({ names, versions }, { managedFields, annotations: { schema: text } })
        const stored = open(definition)
        const decoded = JSON.parse(stringifyJson(definition)) as Definition
        expect(stored.copy()).toEqual({ ...decoded, metadata: { ...decoded.metadata, resourceVersion: '7' } })
        expect(Buffer.compare(codec.encode(copyObject(stored.copy())), codec.encode(definition))).toBe(0)
      },
    ),
  )
})

it('shares undecoded structs between all copies of an object', () => {
  const stored = open(newDefinition({ versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object' } } }] }))
  const schema = stored.object().spec.versions![0]!.schema
  expect(schema).toBeInstanceOf(UndecodedObject)
  expect(stored.copy().spec.versions![0]!.schema).toBe(schema)
})

it.each([
  { spec: {} },
  { spec: { versions: null } },
  { spec: { versions: [{}, { schema: {} }, { schema: { openAPIV3Schema: 1 } }] } },
  { spec: { versions: [{ schema: { openAPIV3Schema: {} } }], names: { a: { schema: { openAPIV3Schema: {} } } } } },
  { spec: { names: { a: { schema: { openAPIV3Schema: {} } } } } },
])('decodes objects of another form: %j', ({ spec }) => {
  const { metadata: _metadata, ...decoded } = open(newDefinition(spec)).copy()
  expect(decoded).toEqual({ spec })
})

it('throws an error for a stored body that is not JSON', () => {
  const bytes = codec.encode(newDefinition({ names: {} }))
  expect(() => codec.open('/k', bytes.subarray(0, -3), 1).copy()).toThrow('the stored body of /k is not JSON')
})
