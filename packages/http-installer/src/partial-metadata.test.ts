import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { partialJson } from './partial-metadata.ts'
import type { StoredObject } from '@keelson/storagebackend'

it('cuts the same metadata out of bytes as decoding would give', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', 'é') })
  fc.assert(
    fc.property(fc.dictionary(text, text), text, fc.integer({ min: 1, max: 2 ** 53 - 1 }), (annotations, data, revision) => {
      const metadata = { name: 'n', annotations }
      const body = Buffer.from(JSON.stringify({ metadata, data: { data } }))
      const stored = { isStoredObject: true, body, spliceAt: '{"metadata":{"name":"n"'.length, revision } as unknown as StoredObject
      expect(JSON.parse(partialJson(stored, 'v1').toString())).toEqual({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { ...metadata, resourceVersion: String(revision) },
      })
    }),
  )
})
