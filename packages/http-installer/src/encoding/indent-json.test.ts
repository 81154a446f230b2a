import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { indentJson } from './indent-json.ts'

it('is what JSON.stringify makes of the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2))
    }),
  )
})

it('keeps numbers as they are spelled', () => {
  expect(indentJson('{"a":9007199254740993}')).toBe('{\n  "a": 9007199254740993\n}')
})
