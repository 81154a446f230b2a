import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isApiError } from '../api-error.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { applyMergePatch, decodeMergePatch, decodeStrategicMergePatch } from './merge-patch.ts'

describe('merge patches as in RFC 7386', () => {
  test.each<[JsonValue, JsonValue, JsonValue]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 'x' }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ])('changes %j with the patch %j', (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected)
  })

  test('drops nulls inside a new list, but not inside a list that replaces an object', () => {
    expect(applyMergePatch({}, { a: [{ b: null }, null] })).toEqual({ a: [{}, null] })
    expect(applyMergePatch({ a: {} }, { a: [{ b: null }] })).toEqual({ a: [{ b: null }] })
  })
})

const keys = fc.constantFrom('a', 'b', 'c', '__proto__')
const { object: objects } = fc.letrec<{ object: JsonObject; value: JsonValue }>((tie) => ({
  object: fc.dictionary(keys, tie('value')) as fc.Arbitrary<JsonObject>,
  value: fc.oneof({ depthSize: 'small' }, fc.integer(), fc.constant(null), fc.array(fc.integer()), tie('object')),
}))

test('property: is idempotent, does not modify its inputs and cannot set a prototype', () => {
  fc.assert(
    fc.property(objects, objects, (document, patch) => {
      const before = JSON.stringify([document, patch])
      const once = applyMergePatch(document, patch)
      expect(applyMergePatch(once, patch)).toEqual(once)
      expect(JSON.stringify([document, patch])).toBe(before)
      expect(Object.getPrototypeOf(once)).toBe(Object.prototype)
    }),
  )
})

test('property: keeps members that the patch does not name and removes members set to null', () => {
  fc.assert(
    fc.property(objects, objects, (document, patch) => {
      const merged = applyMergePatch(document, patch)
      for (const key of Object.keys(document)) if (!Object.hasOwn(patch, key)) expect(merged[key]).toBe(document[key])
      for (const key of Object.keys(patch)) expect(Object.hasOwn(merged, key)).toBe(patch[key] !== null)
    }),
  )
})

const catchRefusal = (run: () => unknown): string => {
  try {
    run()
  } catch (e) {
    if (isApiError(e, 'BadRequest')) return e.message
    throw e
  }
  return ''
}

test('rejects a patch that is not an object, with the message of its patch type', () => {
  expect(catchRefusal(() => decodeMergePatch('[]'))).toBe(
    'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
  )
  expect(catchRefusal(() => decodeStrategicMergePatch('[]'))).toBe(
    'json: cannot unmarshal array into Go value of type map[string]interface {}',
  )
  expect(catchRefusal(() => decodeMergePatch('{'))).toBe('error decoding patch: unexpected end of JSON input')
  expect(catchRefusal(() => decodeMergePatch('null'))).toBe('Invalid JSON Patch')
  expect(decodeMergePatch('{"a":{"b":1,"b":2}}', 'Warn').strictErrors).toEqual(['duplicate field "a.b"'])
})

test('rejects a patch that is nested too deeply', () => {
  const nested: JsonValue = Array.from({ length: 100_000 }).reduce<JsonValue>((inner) => ({ a: inner }), {})
  expect(catchRefusal(() => applyMergePatch(nested, nested))).toBe('exceeded max depth')
})
