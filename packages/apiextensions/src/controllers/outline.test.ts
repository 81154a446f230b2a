import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import type { StoredObject } from '@keelson/storagebackend'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { definitionOf } from './controllers.fixture.ts'
import { readOutline } from './outline.ts'

const readOutlineOf = (definition: object, text = JSON.stringify(definition)): unknown =>
  readOutline({ body: Buffer.from(text), key: 'k', revision: 7 } as unknown as StoredObject<CustomResourceDefinition>)

it('omits schemas, managed fields and annotations, and keeps everything else', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ schema: fc.json({ maxDepth: 3 }), first: fc.boolean() }), { maxLength: 4 }),
      fc.string(),
      (schemas, text) => {
        const definition = definitionOf('things.example.com', { shortNames: [text, '"schema":{'] })
        const kept = definition.spec.versions![0]!
        const versions = schemas.map(({ schema, first }, i) => {
          const openAPIV3Schema = { default: JSON.parse(schema) as unknown, properties: { schema: { description: text } } }
          const member = { schema: { openAPIV3Schema } }
          return first ? { ...member, name: `v${i}` } : { name: `v${i}`, ...member, additionalPrinterColumns: [{ description: text }] }
        })
        const managedFields = [{ manager: text, fieldsV1: { 'f:schema': {} } }]
        const annotations = { [text]: text, 'api-approved.kubernetes.io': 'x' }
        const full = { metadata: { managedFields, annotations, name: 'a' }, spec: { ...definition.spec, versions: [kept, ...versions] } }
        expect(readOutlineOf(full)).toEqual({
          metadata: { name: 'a', annotations: { 'api-approved.kubernetes.io': 'x' }, resourceVersion: '7' },
          spec: { ...definition.spec, versions: [kept, ...versions].map(({ schema: _schema, ...version }) => version) },
        })
      },
    ),
  )
})

it('throws an error for a stored body that is not JSON', () => {
  expect(() => readOutlineOf({}, '{"metadata":{"name":"a"},"spec":{"versions":[{"schema":{"a')).toThrow('the stored body of k is not JSON')
})
