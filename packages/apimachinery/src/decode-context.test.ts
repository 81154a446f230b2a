import { expect, it, test } from 'vitest'
import { copyEmptyMarks, formatConversionMismatch, copyWithEmptyMarks, hasEmptyMarks, wasSentEmpty } from './decode-context.ts'
import { decodeStruct } from './decode-struct.ts'
import type { FieldSchema, StructSchema } from './type-schema.ts'

function createStruct(fields: readonly FieldSchema[]): StructSchema {
  return { kind: 'struct', name: 'Meta', definition: 'Meta', fields, byName: new Map(fields.map((field) => [field.name, field])) }
}

it('marks a map that the client sent empty and that decoding drops', () => {
  const map = { kind: 'map', values: { kind: 'string' } } as const
  const schema = createStruct(['labels', 'annotations', 'data'].map((name) => ({ name, type: map, omit: 'empty' })))
  const { object } = decodeStruct(schema, { labels: {}, annotations: { a: 'b' }, data: null })
  expect(object).toEqual({ annotations: { a: 'b' } })
  expect(['labels', 'annotations', 'data'].filter((name) => wasSentEmpty(object, name))).toEqual(['labels'])
  expect(wasSentEmpty({ ...object }, 'labels')).toBe(false)
})

it.each([false, true])('remembers lists that the client sent empty, including those written as null (owned: %j)', (owned) => {
  const list = { kind: 'list', items: { kind: 'string' } } as const
  const schema = createStruct([
    { name: 'left', type: list, omit: 'empty' },
    { name: 'none', type: list, omit: 'empty' },
    { name: 'some', type: list, omit: 'empty' },
    { name: 'written', type: list },
    { name: 'unsaid', type: list },
  ])
  const { object } = decodeStruct(schema, { left: [], none: null, some: ['a'], written: [] }, { owned })
  expect(object).toEqual({ some: ['a'], written: null, unsaid: null })
  expect(schema.fields.map(({ name }) => name).filter((name) => wasSentEmpty(object, name))).toEqual(['left', 'written'])
  expect([hasEmptyMarks({ in: [object] }), hasEmptyMarks({ in: [{ ...object }] })]).toEqual([true, false])
  Object.assign(object, { left: ['a'], written: ['b'] })
  expect(hasEmptyMarks(object)).toBe(false)
})

it('copies the marks with the object', () => {
  const map = { kind: 'map', values: { kind: 'string' } } as const
  const inner = createStruct([{ name: 'labels', type: map, omit: 'empty' }])
  const outer = createStruct([
    { name: 'name', type: { kind: 'string' } },
    { name: 'items', type: { kind: 'list', items: inner } },
  ])
  const { object } = decodeStruct<{ name: string; items: object[] }>(outer, { name: 'a', items: [{ labels: {} }] })
  const copy = copyWithEmptyMarks(object)
  expect(copy).toEqual(object)
  expect(copy.items[0]).not.toBe(object.items[0])
  expect([hasEmptyMarks(copy), hasEmptyMarks(structuredClone(object))]).toEqual([true, false])
  expect(wasSentEmpty(copyEmptyMarks({ more: 1 }, object.items[0]!), 'labels')).toBe(true)
})

it('reports an empty map in a list, but not an empty map in an object', () => {
  const map = { kind: 'map', values: { kind: 'string' } } as const
  const inner = createStruct([{ name: 'labels', type: map, omit: 'empty' }])
  const outer = createStruct([
    { name: 'item', type: inner },
    { name: 'items', type: { kind: 'list', items: inner } },
  ])
  expect(decodeStruct(outer, { item: { labels: {} }, items: [] }).emptied).toBe(true)
  expect(decodeStruct(outer, { item: { labels: {} }, items: [{ labels: {} }] }).emptied).toBe(true)
  expect(decodeStruct(outer, { item: { labels: {} }, items: [{ labels: { a: 'b' } }] }).emptied).toBe(false)
})

test.each([
  [1, 'string', 'string', 'cannot convert int64 to string'],
  [1, 'v1.Protocol', 'string', 'cannot convert int64 to v1.Protocol'],
  [1.5, 'string', 'string', 'unrecognized type: string'],
  [1.5, 'int32', 'int32', 'cannot convert float64 to int32'],
  ['x', 'int32', 'int32', 'unrecognized type: int32'],
  [true, 'string', 'string', 'unrecognized type: string'],
  [1, 'bool', 'bool', 'unrecognized type: bool'],
  [[], 'map[string]string', 'map', 'cannot restore map from slice'],
  ['x', '[]v1.Container', 'slice', 'cannot restore slice from string'],
  [{}, 'string', 'string', 'unrecognized type: string'],
  [1, 'v1.PodSpec', 'struct', 'cannot restore struct from: int64'],
] as const)('%j as %s', (value, goType, kind, message) => {
  expect(formatConversionMismatch(value, goType, kind)).toBe(message)
})
