import { assert, jsonValue, property } from 'fast-check'
import { expect, it } from 'vitest'
import { writeJsonPieces, formatJson } from './json-pieces.ts'

it('property: writes the same text as JSON.stringify', () => {
  assert(
    property(jsonValue(), (value) => {
      expect(formatJson(value)).toBe(JSON.stringify(value))
    }),
  )
})

it('writes integers of any size, and omits undefined members', () => {
  expect(formatJson({ a: 9007199254740993n, b: undefined, c: [] })).toBe('{"a":9007199254740993,"c":[]}')
})

it('writes a large value in pieces', () => {
  const value = Array.from({ length: 100_000 }, (_, i) => ({ i }))
  const pieces = [...writeJsonPieces(value)]
  expect(pieces.length).toBeGreaterThan(50)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(20_000)
})
