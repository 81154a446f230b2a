import { FieldSelector, LabelsSelector } from '@keelson/apimachinery'
import type { KubeObject, LabelRequirement } from '@keelson/apimachinery'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMatcher } from './predicate.ts'
import { createRecordCodec } from './record-codec.ts'
import type { Predicate } from './storage.ts'

interface Thing extends KubeObject {
  spec?: { node?: string }
}

const codec = createRecordCodec<Thing>({
  kind: 'Thing',
  schemaVersion: 3,
  selectableFields: { 'spec.node': (thing) => thing.spec?.node ?? '', phase: () => 'on' },
})
const key = fc.constantFrom('a', 'app', 'apps', 'é', 'constructor', 'x/y')
const value = fc.constantFrom('', '1', '7', '07', 'a', 'ab', 'ü', '\u{1f600}')
const labels = fc.option(fc.dictionary(key, value, { noNullPrototype: true }), { nil: undefined })
const requirement: fc.Arbitrary<LabelRequirement> = fc.record({
  key,
  operator: fc.constantFrom('=', '==', '!=', 'in', 'notin', 'exists', '!', 'gt', 'lt'),
  values: fc.array(value, { minLength: 1, maxLength: 2 }),
})
const field = fc.record({
  field: fc.constantFrom('metadata.name', 'metadata.namespace', 'spec.node', 'phase', 'unknown'),
  operator: fc.constantFrom('=', '!='),
  value: fc.oneof(value, fc.constantFrom('on', 'n')),
})

function matchesHeader(predicate: Predicate, record: Uint8Array): boolean {
  const { createMatcher: ofHeaders, readLabelSet } = codec.headers!
  return ofHeaders(predicate)(record, readLabelSet(record)!)
}

test('a selector matches the header of a record exactly if it matches the decoded object', () => {
  fc.assert(
    fc.property(
      labels,
      fc.option(value, { nil: undefined }),
      fc.oneof(fc.array(requirement, { maxLength: 3 }), fc.array(requirement, { minLength: 9, maxLength: 12 })),
      fc.oneof(fc.array(field, { maxLength: 3 }), fc.array(field, { minLength: 9, maxLength: 12 })),
      (objectLabels, node, requirements, fields) => {
        const predicate = { labels: new LabelsSelector(requirements), fields: new FieldSelector(fields) }
        const object: Thing = {
          metadata: { name: 'n', ...(objectLabels && { labels: objectLabels }) },
          spec: { ...(node !== undefined && { node }) },
        }
        const record = codec.encode(object)
        const stored = codec.open('/n', record, 1)
        expect(matchesHeader(predicate, record)).toBe(createMatcher(predicate)?.(stored) ?? true)
      },
    ),
    { numRuns: 2000 },
  )
})

test('returns no label set for a record in another encoding, with another schema version, or truncated', () => {
  const { readLabelSet } = codec.headers!
  const record = Buffer.from(codec.encode({ metadata: { name: 'n', labels: { a: '1' } } }))
  const older = Buffer.from(record)
  older.writeUInt32BE(2, 1)
  for (const value of [Buffer.from('{"not":"a record"}'), record.subarray(0, 10), older]) expect(readLabelSet(value)).toBeUndefined()
})

test('tests the label selector once for all records with the same labels', () => {
  const { readLabelSet } = codec.headers!
  const createLabelSet = (name: string, labels: Record<string, string>): unknown =>
    readLabelSet(codec.encode({ metadata: { name, labels } }))
  expect(createLabelSet('n', { a: '1', b: '2' })).toBe(createLabelSet('m', { b: '2', a: '1' }))
  expect(createLabelSet('n', { a: '1', b: '2' })).not.toBe(createLabelSet('n', { a: '1', b: '3' }))
})
