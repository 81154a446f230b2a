import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readMetadata } from './metadata-slice.ts'
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
