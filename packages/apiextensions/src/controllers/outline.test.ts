import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { createRecordCodec } from '@keelson/storagebackend'
import { expect, it } from 'vitest'
import { createDefinition } from './controllers.fixture.ts'
import { readOutline } from './outline.ts'

it('omits schemas, managed fields and annotations, and keeps everything else', () => {
  const { metadata: _metadata, ...definition } = createDefinition('things.example.com', { shortNames: ['t'] })
  const [first] = definition.spec.versions!
  const others = [{ name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } }]
  const annotations = { other: 'text', 'api-approved.kubernetes.io': 'x' }
  const codec = createRecordCodec<CustomResourceDefinition>({ kind: 'CustomResourceDefinition', schemaVersion: 1 })
  const metadata = { name: 'a', annotations, managedFields: [{ manager: 'm', fieldsV1: { 'f:schema': {} } }] }
  const full = { ...definition, metadata, spec: { ...definition.spec, versions: [first!, ...others] } }
  const { schema: _schema, ...firstOutline } = first!
  expect(readOutline(codec.open('k', codec.encode(full), 7))).toEqual({
    ...definition,
    metadata: { name: 'a', annotations: { 'api-approved.kubernetes.io': 'x' }, resourceVersion: '7' },
    spec: { ...definition.spec, versions: [firstOutline, { name: 'v2', served: true, storage: false }] },
  })
})
