import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isApiError } from '../api-error.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { applyJsonPatch, applyJsonPatchInSlices, decodeJsonPatch } from './json-patch.ts'

const parseOperations = (text: string): JsonObject[] => JSON.parse(text) as JsonObject[]

const catchStatus = (run: () => unknown): string => {
  try {
    run()
  } catch (e) {
    if (isApiError(e)) return `${e.code} ${e.message}`
    throw e
  }
  return ''
}
const refused = '422 the server rejected our request due to an error in our request'

describe('operations', () => {
  test.each<[string, JsonValue, string, JsonValue]>([
    ['add to an object', {}, '[{"op":"add","path":"/a","value":1}]', { a: 1 }],
    ['add replaces', { a: 0 }, '[{"op":"add","path":"/a","value":1}]', { a: 1 }],
    ['add into a list', { a: [1, 3] }, '[{"op":"add","path":"/a/1","value":2},{"op":"add","path":"/a/-","value":4}]', { a: [1, 2, 3, 4] }],
    ['add counts from the end', { a: [1, 2] }, '[{"op":"add","path":"/a/-1","value":9}]', { a: [1, 2, 9] }],
    ['add without a value is null', {}, '[{"op":"add","path":"/a"}]', { a: null }],
    ['remove', { a: 1, b: [1, 2] }, '[{"op":"remove","path":"/a"},{"op":"remove","path":"/b/-1"}]', { b: [1] }],
    ['replace, also what is absent', { a: 1 }, '[{"op":"replace","path":"/b","value":2}]', { a: 1, b: 2 }],
    ['replace of everything', { a: 1 }, '[{"op":"replace","path":"","value":{"b":2}}]', { b: 2 }],
    ['move', { a: { b: 1 }, c: [] }, '[{"op":"move","from":"/a/b","path":"/c/0"}]', { a: {}, c: [1] }],
    [
      'copy is independent',
      { a: { x: 1 } },
      '[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/x","value":2}]',
      { a: { x: 1 }, b: { x: 2 } },
    ],
    [
      'copy after a change',
      { a: {} },
      '[{"op":"add","path":"/a/x","value":1},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/a/x","value":2}]',
      { a: { x: 2 }, b: { x: 1 } },
    ],
    [
      'test ignores the order of members',
      { a: { x: 1, y: [2] } },
      '[{"op":"test","path":"/a","value":{"y":[2],"x":1}}]',
      { a: { x: 1, y: [2] } },
    ],
    ['test of the absent for null', {}, '[{"op":"test","path":"/a","value":null}]', {}],
    ['escapes', { 'a/b': 1, '~1': 2 }, '[{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/~01"}]', {}],
  ])('applies %s', (_name, document, patch, expected) => {
    expect(applyJsonPatch(document, parseOperations(patch))).toEqual(expected)
  })

  test.each<[string, JsonValue, string]>([
    ['test that fails', { a: 1 }, '[{"op":"test","path":"/a","value":2}]'],
    ['remove of the absent', {}, '[{"op":"remove","path":"/a"}]'],
    ['unknown operation', {}, '[{"op":"bogus","path":"/a"}]'],
    ['path through a scalar', { a: 1 }, '[{"op":"add","path":"/a/b","value":1}]'],
    ['index out of range', { a: [] }, '[{"op":"add","path":"/a/1","value":1}]'],
    ['no index', { a: [] }, '[{"op":"add","path":"/a/x","value":1}]'],
    ['no path', {}, '[{"op":"add","value":1}]'],
    ['a path into the prototype', {}, '[{"op":"add","path":"/__proto__/polluted","value":1}]'],
    ['the constructor', {}, '[{"op":"add","path":"/constructor/prototype/polluted","value":1}]'],
  ])('rejects %s', (_name, document, patch) => {
    expect(catchStatus(() => applyJsonPatch(document, parseOperations(patch)))).toBe(refused)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('limits the total size of copies', () => {
    const doubling = Array.from({ length: 30 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }))
    expect(catchStatus(() => applyJsonPatch({ a: ['x'.repeat(1000)] }, doubling))).toBe(refused)
  })
})

describe('decoding a patch', () => {
  test('rejects a patch that is not a list of operations', () => {
    expect(catchStatus(() => decodeJsonPatch('[{"op":'))).toBe('400 error decoding patch: unexpected end of JSON input')
    expect(catchStatus(() => decodeJsonPatch('{}'))).toBe(
      '400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    )
    expect(catchStatus(() => decodeJsonPatch('[{"op":1}]'))).toBe(
      '400 error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    )
  })

  test('reports unknown and duplicate members in strict mode', () => {
    const text = '[{"op":"add","path":"/a","path":"/b","value":1,"foo":2}]'
    expect(decodeJsonPatch(text, 'Warn').strictErrors).toEqual([
      'json patch duplicate field "[0].path"',
      'json patch unknown field "[0].foo"',
    ])
    expect(decodeJsonPatch(text).strictErrors).toEqual([])
  })

  test('accepts at most 10,000 operations', () => {
    const many = JSON.stringify(Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: null })))
    expect(catchStatus(() => decodeJsonPatch(many))).toBe(
      '413 Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    )
  })
})

test('property: never modifies the document', () => {
  const step = fc.constantFrom('a', 'b', '0', '1', '-', '-1', '__proto__')
  const pointer = fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => steps.map((s) => `/${s}`).join(''))
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
    path: pointer,
    from: pointer,
    value: fc.jsonValue({ maxDepth: 2 }),
  })
  const document = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(document, fc.array(operation, { maxLength: 5 }), (input, operations) => {
      const before = JSON.stringify([input, operations])
      catchStatus(() => applyJsonPatch(input as JsonValue, operations as JsonObject[]))
      expect(JSON.stringify([input, operations])).toBe(before)
    }),
    { numRuns: 500 },
  )
})

describe('applying a patch in time slices', () => {
  const list = Array.from({ length: 100_000 }, (_, i) => i)
  const moves = Array.from({ length: 500 }, () => ({ op: 'move', from: '/a/50000', path: '/a/1000' }))

  test('gives the same result as without time slices', async () => {
    const never = new AbortController().signal
    expect(applyJsonPatchInSlices({ a: 1 }, parseOperations('[{"op":"remove","path":"/a"}]'), { signal: () => never })).toEqual({})
    expect(await applyJsonPatchInSlices({ a: list }, moves, { signal: () => never })).toEqual(applyJsonPatch({ a: list }, moves))
    expect(() => applyJsonPatchInSlices({}, parseOperations('[{"op":"remove","path":"/a"}]'), { signal: () => never })).toThrow(
      'rejected our request',
    )
  })

  test('lets other work run between slices, and stops when aborted', async () => {
    const leaving = new AbortController()
    const endless = Array.from({ length: 10_000 }, () => moves[0]!)
    const patched = applyJsonPatchInSlices({ a: list }, endless, { signal: () => leaving.signal })
    expect(patched).toBeInstanceOf(Promise)
    setImmediate(() => leaving.abort(new Error('gone')))
    await expect(patched).rejects.toThrow('gone')
  })
})
