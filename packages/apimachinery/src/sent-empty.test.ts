import { expect, it } from 'vitest'
import { decodeStruct } from './decode-struct.ts'
import { holdsSentEmpty, wasSentEmpty } from './sent-empty.ts'
import type { FieldSchema, StructSchema } from './type-schema.ts'

function structOf(fields: readonly FieldSchema[]): StructSchema {
  return { kind: 'struct', name: 'Meta', definition: 'Meta', fields, byName: new Map(fields.map((field) => [field.name, field])) }
}

it('a decoded object leaves out a map that was sent empty, and it can still be asked', () => {
  const map = { kind: 'map', values: { kind: 'string' } } as const
  const schema = structOf(['labels', 'annotations', 'data'].map((name) => ({ name, type: map, omit: 'empty' })))
  const { object } = decodeStruct(schema, { labels: {}, annotations: { a: 'b' }, data: null })
  expect(object).toEqual({ annotations: { a: 'b' } })
  expect(['labels', 'annotations', 'data'].filter((name) => wasSentEmpty(object, name))).toEqual(['labels'])
  expect(wasSentEmpty({ ...object }, 'labels')).toBe(false)
})

it.each([false, true])('so it is with lists, those too that are written as null (owned: %j)', (owned) => {
  const list = { kind: 'list', items: { kind: 'string' } } as const
  const schema = structOf([
    { name: 'left', type: list, omit: 'empty' },
    { name: 'none', type: list, omit: 'empty' },
    { name: 'some', type: list, omit: 'empty' },
    { name: 'written', type: list },
    { name: 'unsaid', type: list },
  ])
  const { object } = decodeStruct(schema, { left: [], none: null, some: ['a'], written: [] }, { owned })
  expect(object).toEqual({ some: ['a'], written: null, unsaid: null })
  expect(schema.fields.map(({ name }) => name).filter((name) => wasSentEmpty(object, name))).toEqual(['left', 'written'])
  expect([holdsSentEmpty({ in: [object] }), holdsSentEmpty({ in: [{ ...object }] })]).toEqual([true, false])
  Object.assign(object, { left: ['a'], written: ['b'] })
  expect(holdsSentEmpty(object)).toBe(false)
})
