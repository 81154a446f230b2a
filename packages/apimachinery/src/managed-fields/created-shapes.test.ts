import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../meta.ts'
import type { TypeSchema } from '../type-schema.ts'
import { compareValuesOfType } from './compare.ts'
import { CreatedShapes, findShapeSet } from './created-shapes.ts'
import { leaf, union } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { TypedError, getMergeType } from './merge-type.ts'
import { createStructSchema as struct } from './struct-schema.fixture.ts'
import type { TypedObject } from './merge-type.ts'

const text: TypeSchema = { kind: 'string' }
const item = struct([
  { name: 'name', type: text },
  { name: 'port', type: { kind: 'int32' }, pointer: true },
  { name: 'tags', type: { kind: 'map', values: text } },
])
const schema = struct([
  { name: 'text', type: text },
  { name: 'inner', type: struct([{ name: 'text', type: text }]) },
  { name: 'whole', type: struct([{ name: 'text', type: text }], 'atomic') },
  { name: 'labels', type: { kind: 'map', values: text } },
  { name: 'open', type: { kind: 'json' } },
  { name: 'atomic', type: { kind: 'list', items: text } },
  { name: 'set', type: { kind: 'list', listType: 'set', items: text } },
  { name: 'named', type: { kind: 'list', listType: 'map', mapKeys: ['name'], items: item } },
  { name: 'ports', type: { kind: 'list', listType: 'map', mapKeys: ['name', 'port'], items: item } },
])
const type = getMergeType(schema)
const empty = createTypedObject({ text: '', inner: {}, whole: {}, named: null, open: null })

function createTypedObject(value: JsonObject): TypedObject {
  return { apiVersion: 'v1', type, value }
}

function computeCreatedFields(object: TypedObject): FieldSet {
  const comparison = compareValuesOfType(type, empty.value, object.value)
  return comparison === undefined ? leaf : union(comparison.modified, comparison.added)
}

/** Returns the exact JSON of a field set, or the error message of its computation. */
function printSet(set: () => FieldSet): string {
  try {
    return JSON.stringify(set())
  } catch (error) {
    if (error instanceof TypedError) return error.message
    throw error
  }
}

const words = fc.constantFrom('', 'a', 'b', 'name', 'true', '1', '__proto__')
const scalars = fc.oneof(words, fc.constantFrom<JsonValue>(0, -0, 1, true, false, null, 'ä', 1.5))
const maps = fc.oneof(fc.dictionary(words, words, { maxKeys: 3 }), fc.constant(null))
const items = fc.oneof(
  { weight: 9, arbitrary: fc.record({ name: scalars, port: scalars, tags: maps }, { requiredKeys: [] }) },
  scalars,
) as fc.Arbitrary<JsonValue>
const generateLists = (of: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> => fc.oneof(fc.array(of, { maxLength: 3 }), fc.constant(null))
const objects = fc.record(
  {
    text: words,
    inner: fc.record({ text: words }, { requiredKeys: [] }),
    whole: maps,
    labels: maps,
    open: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
    atomic: generateLists(words),
    set: generateLists(scalars),
    named: generateLists(items),
    ports: generateLists(items),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>

describe('CreatedShapes', () => {
  it('property: returns the same set as a comparison, for any contents of the cache', () => {
    const shapes = new CreatedShapes(empty)
    fc.assert(
      fc.property(objects, (value) => {
        const object = createTypedObject(value)
        expect(printSet(() => findShapeSet(shapes.shapeOf(object), () => computeCreatedFields(object)))).toBe(
          printSet(() => computeCreatedFields(object)),
        )
      }),
      { numRuns: 3000 },
    )
  })

  it('computes the set of a shape once', () => {
    const shapes = new CreatedShapes(empty)
    const createNamed = (name: string): TypedObject =>
      createTypedObject({ text: name, labels: { app: name }, named: [{ name: 'c', tags: { a: name } }] })
    const first = findShapeSet(shapes.shapeOf(createNamed('x')), () => computeCreatedFields(createNamed('x')))
    expect(findShapeSet(shapes.shapeOf(createNamed('y')), () => expect.fail('computed again'))).toBe(first)
  })

  it('returns correct sets when the cache is full', () => {
    const shapes = new CreatedShapes(empty)
    const expectRight = (labels: JsonObject): void => {
      const object = createTypedObject({ labels })
      expect(findShapeSet(shapes.shapeOf(object), () => computeCreatedFields(object))).toEqual(computeCreatedFields(object))
    }
    for (let i = 0; i < 3000; i++) expectRight({ [`key-${i}`]: '' })
    expectRight(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key-${i}`, ''])))
    expectRight({ 'key-1': '' })
  })
})
