import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodePartialJson } from './partial-metadata.ts'
import type { StoredObject } from '@keelson/storagebackend'

it('cuts the same metadata out of the bytes as decoding returns', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', 'é') })
  fc.assert(
    fc.property(fc.dictionary(text, text), text, fc.integer({ min: 1, max: 2 ** 53 - 1 }), (annotations, data, revision) => {
      const metadata = { name: 'n', annotations }
      const body = Buffer.from(JSON.stringify({ metadata, data: { data } }))
      const stored = { isStoredObject: true, body, spliceAt: '{"metadata":{"name":"n"'.length, revision } as unknown as StoredObject
      expect(JSON.parse(encodePartialJson(stored, { version: 'v1', without: undefined }).toString())).toEqual({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { ...metadata, resourceVersion: String(revision) },
      })
    }),
  )
})

it('omits annotations that hold internal fields, and an empty map', () => {
  const form = { version: 'v1', without: ['inner'] } as const
  const encodePartialMeta = (annotations: Record<string, string>): unknown => {
    const object = { metadata: { name: 'n', annotations } }
    return (JSON.parse(encodePartialJson(object, form).toString()) as { metadata: unknown }).metadata
  }
  expect(encodePartialMeta({ inner: '1', a: 'b' })).toEqual({ name: 'n', annotations: { a: 'b' } })
  expect(encodePartialMeta({ inner: '1' })).toEqual({ name: 'n' })
})
