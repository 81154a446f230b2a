import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readMetadata, readSmallMetadata } from './metadata-slice.ts'
import { createRecordCodec } from './record-codec.ts'

it('reads the same metadata as decoding the whole object', () => {
  const codec = createRecordCodec({ kind: 'Thing', schemaVersion: 1 })
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', 'é'), maxLength: 60, size: 'max' })
  fc.assert(
    fc.property(fc.dictionary(text, text), text, fc.integer({ min: 1, max: 2 ** 53 - 1 }), (annotations, data, revision) => {
      const object = { metadata: { name: 'n', annotations, finalizers: [data] }, data: { data } }
      const stored = codec.open('/k', codec.encode(object), revision)
      expect(readMetadata(stored)).toEqual(stored.object().metadata)
    }),
  )
})

it('leaves out annotations and managed fields on request', () => {
  const codec = createRecordCodec({ kind: 'Thing', schemaVersion: 1 })
  const large = { annotations: { a: '"managedFields":[' }, managedFields: [{ manager: 'm', fieldsV1: { 'f:a': {} } }] }
  fc.assert(
    fc.property(fc.subarray(['annotations', 'managedFields'] as const), fc.dictionary(fc.string(), fc.string()), (names, labels) => {
      const members = Object.fromEntries(names.map((name) => [name, large[name]]))
      const metadata = { name: 'n', uid: 'u', ...members, finalizers: ['f'], labels }
      const stored = codec.open('/k', codec.encode({ metadata }), 7)
      const { annotations: _annotations, managedFields: _managedFields, ...smallMetadata } = stored.copy().metadata
      expect(readSmallMetadata(stored)).toEqual(smallMetadata)
    }),
  )
})
