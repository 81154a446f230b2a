import { expect, test } from 'vitest'
import { encodeJson, stringifyJson } from './encode-json.ts'
import type { StructSchema } from './type-schema.ts'

test('characters that HTML and JavaScript mind are escaped as Go escapes them', () => {
  expect(stringifyJson({ '<': '>&\u2028\u2029"\\' })).toBe('{"\\u003c":"\\u003e\\u0026\\u2028\\u2029\\"\\\\"}')
})

test('lone surrogates are replaced, escaped backslashes before a u are not', () => {
  expect(stringifyJson(['\ud800', '\\ud800', '\\\ud800', '😀'])).toBe('["\\ufffd","\\\\ud800","\\\\\\ufffd","😀"]')
})

test('bigint is a number, at any depth', () => {
  expect(stringifyJson({ a: [{ b: 2n ** 63n }, undefined, null], c: undefined })).toBe('{"a":[{"b":9223372036854775808},null,null]}')
})

test('kind and apiVersion stand first when asked for', () => {
  const schema: StructSchema = {
    kind: 'struct',
    name: 'X',
    definition: 'x',
    fields: [],
    byName: new Map(),
    gvk: { group: 'apps', version: 'v1', kind: 'X' },
  }
  expect(encodeJson(schema, { a: 1 }, { typeMeta: true })).toBe('{"kind":"X","apiVersion":"apps/v1","a":1}')
  expect(encodeJson(schema, {}, { typeMeta: true })).toBe('{"kind":"X","apiVersion":"apps/v1"}')
})
