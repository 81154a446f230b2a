import { parseJson, stringifyJson } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { copyLazily } from './stored-record.ts'
import { findMetadata } from './metadata-slice.ts'
import { createRecordCodec } from './record-codec.ts'

interface Thing extends KubeObject {
  spec?: unknown
}

const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ',', ':', 'é'), maxLength: 40 })
const set = fc.dictionary(text, fc.dictionary(text, fc.constant({}), { maxKeys: 3 }), { maxKeys: 3 })
// A list in managed fields is invalid, but the end of the value must be found nevertheless.
const managedFields = fc.array(
  fc.record(
    { manager: text, fieldsV1: fc.oneof(set, fc.record({ list: fc.array(set) })), subresource: text },
    { requiredKeys: ['manager'] },
  ),
  { maxLength: 3 },
)
const metadata = fc.record(
  { labels: fc.dictionary(text, text), annotations: fc.dictionary(text, text), finalizers: fc.array(text), managedFields, uid: text },
  { requiredKeys: [] },
)
/** Metadata in kube-apiserver's order, in alphabetical order, and with the two large members next to each other. */
const orders = [
  ['name', 'uid', 'labels', 'annotations', 'finalizers', 'managedFields'],
  ['name', 'annotations', 'finalizers', 'labels', 'managedFields', 'uid'],
  ['name', 'managedFields', 'annotations'],
] as const

it.each(orders.map((order) => ({ order })))('equals the decoded object, in the order $order', ({ order }) => {
  const codec = createRecordCodec<Thing>({ kind: 'Thing', schemaVersion: 1, toJson: (object) => JSON.stringify(object) })
  fc.assert(
    fc.property(metadata, fc.option(fc.record({ metadata }), { nil: undefined }), fc.nat(), (parts, spec, revision) => {
      const metadata: Readonly<Record<string, unknown>> = { name: 'n', ...parts }
      const ordered = Object.fromEntries(order.filter((name) => metadata[name] !== undefined).map((name) => [name, metadata[name]]))
      const object: Thing = { metadata: ordered, ...(spec === undefined ? undefined : { spec }) }
      const stored = codec.open('/k', codec.encode(object), revision + 1)
      const span = findMetadata(stored)!
      expect(stored.body.subarray(1, span.end).toString()).toBe(`"metadata":${JSON.stringify(ordered)}`)
      const large = order.filter((name) => /annotations|managedFields/.test(name) && ordered[name] !== undefined)
      const { firstAt, firstEnd, secondAt, secondEnd } = span
      const slices = [stored.body.subarray(firstAt, firstEnd), stored.body.subarray(secondAt, secondEnd)].map((bytes) => bytes.toString())
      expect(slices.filter(Boolean)).toEqual(large.map((name) => `,"${name}":${JSON.stringify(ordered[name])}`))
      const lazyCopy = copyLazily(stored, span)
      const { annotations, managedFields: managers, ...otherMetadata } = stored.copy().metadata
      const { metadata: _, ...otherMembers } = stored.copy()
      expect(lazyCopy).toMatchObject(otherMembers)
      expect({ ...lazyCopy.metadata, annotations: undefined, managedFields: undefined }).toEqual({
        ...otherMetadata,
        annotations: undefined,
        managedFields: undefined,
      })
      expect(lazyCopy.metadata.annotations).toEqual(annotations)
      expect(lazyCopy.metadata.managedFields).toEqual(managers)
    }),
  )
})

it('decodes the whole metadata at once if its JSON differs from that of stored objects', () => {
  const open = (json: string): unknown => {
    const codec = createRecordCodec<Thing>({ kind: 'Thing', schemaVersion: 1, toJson: () => json })
    const stored = codec.open('/k', codec.encode({ metadata: { name: 'n' } }), 7)
    return copyLazily(stored, findMetadata(stored))
  }
  const metadata = { name: 'n', annotations: null, managedFields: [{ manager: 'm' }], resourceVersion: '7' }
  expect(open('{"metadata":{"name":"n","annotations":null,"managedFields":[{"manager":"m"}]}}')).toEqual({ metadata })
  expect(open('{"spec":1,"metadata":{"name":"n","annotations":{}}}')).toMatchObject({ spec: 1, metadata: { annotations: {} } })
  expect(() => open('{"metadata":{"name":"n","annotations":{}},"spec":}')).toThrow('is not JSON')
})

it('keeps integers exactly that a double cannot represent', () => {
  const parseExactly = (text: string): Thing => parseJson(text).value as unknown as Thing
  const codec = createRecordCodec<Thing>({ kind: 'Thing', schemaVersion: 1, toJson: stringifyJson, parseExactly })
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const spec = { value: Number.isSafeInteger(Number(value)) ? Number(value) : value, text: String(value) }
      const bytes = codec.encode({ metadata: { name: 'a' }, spec })
      const decoded = codec.open('k', bytes, 1).copy()
      expect(decoded.spec).toEqual(spec)
      expect(Buffer.compare(codec.encode(decoded), bytes)).toBe(0)
    }),
  )
})
