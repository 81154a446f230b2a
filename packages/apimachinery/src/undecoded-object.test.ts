import { expect, it } from 'vitest'
import { encodeJson, stringifyJson } from './go-text.ts'
import { parseJson } from './json-document.ts'
import { copyObject } from './json-value.ts'
import { canonicalizeStruct } from './decode-struct.ts'
import { createStructSchema } from './type-schema.ts'
import type { StructSchema } from './type-schema.ts'
import { UndecodedObject } from './undecoded-object.ts'

const text = '{"large":{"b":1,"a":"\\u003cx\\u003e"}}'
const createObject = (content = text) => new UndecodedObject('large', Buffer.from(content)) as UndecodedObject & { readonly large: unknown }

it('is an object with one member, which is decoded when it is read', () => {
  const object = createObject()
  expect(Object.keys(object)).toEqual(['large'])
  expect(object.large).toEqual({ b: 1, a: '<x>' })
  expect({ ...object }).toEqual({ large: { b: 1, a: '<x>' } })
  expect(() => Object.assign(object, { large: {} })).toThrow(TypeError)
  expect(() => createObject('{"large":{"a').large).toThrow('the text of an undecoded object is not JSON')
})

it('keeps integers exactly that a double cannot represent', () => {
  const exact = '{"large":{"default":9007199254740993,"maximum":9007199254740992}}'
  const parseExactly = (content: string): object => parseJson(content).value as object
  const object = new UndecodedObject('large', Buffer.from(exact), { parseExactly }) as UndecodedObject & { readonly large: object }
  expect(object.large).toEqual({ default: 9007199254740993n, maximum: 9007199254740992n })
  expect(stringifyJson({ ...object })).toBe(exact)
})

it('is written as its text, without being decoded', () => {
  const invalid = createObject('{"large":{not JSON}}')
  const value = { first: [1n, undefined, '<'], list: [{ invalid, absent: undefined }] }
  expect(stringifyJson(value)).toBe('{"first":[1,null,"\\u003c"],"list":[{"invalid":{"large":{not JSON}}}]}')
  expect(JSON.stringify({ object: createObject() })).toBe('{"object":{"large":{"b":1,"a":"<x>"}}}')
  expect(() => JSON.stringify({ invalid })).toThrow('is not JSON')
})

it('is shared by copies and canonical objects', () => {
  const object = createObject()
  expect(copyObject({ list: [{ object }] }).list[0]!.object).toBe(object)
  const inner: StructSchema = createStructSchema({
    name: 'Inner',
    definition: 'io.test.v1.Inner',
    fields: [{ name: 'large', type: { kind: 'json' }, omit: 'empty' }],
  })
  const outer: StructSchema = createStructSchema({
    name: 'Outer',
    definition: 'io.test.v1.Outer',
    fields: [{ name: 'object', type: inner, pointer: true, omit: 'empty' }],
  })
  const canonical = canonicalizeStruct(outer, { object })
  expect(canonical.object).toBe(object)
  expect(encodeJson(outer, canonical)).toBe(`{"object":${text}}`)
})

it('compares texts', () => {
  expect(createObject().hasSameText(createObject())).toBe(true)
  expect(createObject().hasSameText(createObject('{"large":{}}'))).toBe(false)
})
