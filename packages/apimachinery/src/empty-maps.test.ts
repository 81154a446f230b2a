import { expect, it } from 'vitest'
import { decodeStruct } from './decode-struct.ts'
import { wasSentEmpty } from './empty-maps.ts'
import type { FieldSchema, StructSchema } from './type-schema.ts'

it('a decoded object leaves out a map that was sent empty, and it can still be asked', () => {
  const fields: FieldSchema[] = ['labels', 'annotations', 'data'].map((name) => ({
    name,
    type: { kind: 'map', values: { kind: 'string' } },
    omit: 'empty',
  }))
  const schema: StructSchema = {
    kind: 'struct',
    name: 'Meta',
    definition: 'Meta',
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
  }
  const { object } = decodeStruct(schema, { labels: {}, annotations: { a: 'b' }, data: null })
  expect(object).toEqual({ annotations: { a: 'b' } })
  expect(['labels', 'annotations', 'data'].filter((name) => wasSentEmpty(object, name))).toEqual(['labels'])
  expect(wasSentEmpty({ ...object }, 'labels')).toBe(false)
})
