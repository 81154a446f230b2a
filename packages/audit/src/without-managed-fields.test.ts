import { expect, it } from 'vitest'
import { withoutManagedFields, withoutManagedFieldsOfItem } from './without-managed-fields.ts'

const metadata = { name: 'a', managedFields: [{ manager: 'x' }] }
const kept = { metadata: { name: 'a' } }

it.each([
  ['an object', { metadata, data: { managedFields: 'b' } }, { ...kept, data: { managedFields: 'b' } }],
  ['a table', { metadata: {}, rows: [{ cells: ['a'], object: { metadata } }] }, { metadata: {}, rows: [{ cells: ['a'], object: kept }] }],
  ['a value without metadata', ['"managedFields"'], ['"managedFields"']],
])('removes the managed fields of %s', (_, value, expected) => {
  expect(JSON.parse(withoutManagedFields(JSON.stringify(value)))).toEqual(expected)
})

it.each([
  ['object', { metadata, object: { metadata } }, { ...kept, object: { metadata } }],
  ['row', { cells: [], object: { metadata } }, { cells: [], object: kept }],
] as const)('removes the managed fields of an item that is an %s', (kind, item, expected) => {
  expect(JSON.parse(withoutManagedFieldsOfItem(JSON.stringify(item), kind))).toEqual(expected)
})

it('returns texts without managed fields as they are', () => {
  expect(withoutManagedFields('{"a":1.0}')).toBe('{"a":1.0}')
})
