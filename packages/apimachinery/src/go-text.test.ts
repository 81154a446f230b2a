import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeJson, goValue, memoizeByText, shareText, stringifyJson } from './go-text.ts'
import type { StructSchema } from './type-schema.ts'

test("formats decoded JSON like Go's fmt", () => {
  expect(goValue({ b: [1, 'x', null, true, 1.5], a: { d: {}, c: [] }, z: -0.00001 })).toBe(
    'map[a:map[c:[] d:map[]] b:[1 x <nil> true 1.5] z:-1e-05]',
  )
})

test('caches results for short texts, and clears the cache when it is full', () => {
  const requested: string[] = []
  const answer = memoizeByText((text) => {
    requested.push(text)
    return { text }
  })
  const first = answer('a')
  expect(answer('a')).toBe(first)
  expect(requested).toEqual(['a'])
  const long = 'a'.repeat(1000)
  expect(answer(long)).toEqual(answer(long))
  expect(requested).toEqual(['a', long, long])
  for (let i = 0; i < 2000; i++) answer(String(i))
  expect(answer('a')).toEqual(first)
  expect(answer('a')).not.toBe(first)
})

test('does not cache exceptions', () => {
  let fails = true
  const answer = memoizeByText((text) => {
    if (fails) throw new Error(text)
    return { text }
  })
  expect(() => answer('a')).toThrow('a')
  fails = false
  expect(answer('a')).toEqual({ text: 'a' })
})

test('escapes HTML and line separators like Go', () => {
  expect(stringifyJson({ '<': '>&\u2028\u2029"\\' })).toBe('{"\\u003c":"\\u003e\\u0026\\u2028\\u2029\\"\\\\"}')
})

test('replaces lone surrogates, but not an escaped backslash before a u', () => {
  expect(stringifyJson(['\ud800', '\\ud800', '\\\ud800', '😀'])).toBe('["\\ufffd","\\\\ud800","\\\\\\ufffd","😀"]')
})

test('writes bigint as a number at any depth', () => {
  expect(stringifyJson({ a: [{ b: 2n ** 63n }, undefined, null], c: undefined })).toBe('{"a":[{"b":9223372036854775808},null,null]}')
})

test('writes kind and apiVersion first if requested', () => {
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

const plain: StructSchema = { kind: 'struct', name: 'X', definition: 'x', fields: [], byName: new Map() }

test('property: shared field sets do not change the JSON', () => {
  const text = fc.constantFrom('a', '<&>', '"managedFields":0}', '\u2028', '\ud800', '\\')
  const set = fc.record({
    value: fc.dictionary(text, fc.oneof(fc.constant({}), fc.dictionary(text, fc.constant({})), fc.bigInt())),
    shared: fc.boolean(),
  })
  const entry = fc.record({ manager: text, time: text, fieldsV1: set, subresource: text }, { requiredKeys: [] })
  const managed = fc.oneof(
    { weight: 9, arbitrary: fc.array(fc.oneof({ weight: 9, arbitrary: entry }, fc.constant(null))) },
    fc.constant(null),
  )
  const metadata = fc.record({ name: text, labels: fc.dictionary(text, text), managedFields: managed }, { requiredKeys: [] })
  const object = fc.record(
    { metadata: fc.oneof({ weight: 9, arbitrary: metadata }, fc.constant(null)), spec: fc.oneof(fc.jsonValue(), fc.bigInt()) },
    { requiredKeys: [] },
  )
  type Entry = { fieldsV1?: { value: object; shared: boolean } } | null
  const chooseEntries = (entries: readonly Entry[], share: boolean): unknown[] =>
    entries.map((entry) => {
      if (entry?.fieldsV1 === undefined) return entry
      const { value, shared } = entry.fieldsV1
      const object = share ? value : { ...value }
      if (share && shared) shareText(object)
      return { ...entry, fieldsV1: object }
    })
  const order = fc.constantFrom('schema', 'metadata last', 'managers first')
  fc.assert(
    fc.property(object, order, ({ metadata: meta, ...rest }, place) => {
      const createObject = (share: boolean): object => {
        const { managedFields, ...others } = meta ?? {}
        const managers = managedFields ? { managedFields: chooseEntries(managedFields, share) } : {}
        const whole = meta && { metadata: place === 'managers first' ? { ...managers, ...others } : { ...others, ...managers } }
        return place === 'metadata last' ? { ...rest, ...whole } : { ...whole, ...rest }
      }
      const expected = stringifyJson(createObject(false))
      const input = createObject(true)
      expect(encodeJson(plain, input)).toBe(expected)
      expect(encodeJson(plain, input)).toBe(expected)
    }),
    { numRuns: 300 },
  )
})
