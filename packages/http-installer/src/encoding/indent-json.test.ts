import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { indentJson } from './indent-json.ts'

it('indents JSON like JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2))
    }),
  )
})

it('keeps the spelling of numbers', () => {
  expect(indentJson('{"a":9007199254740993}')).toBe('{\n  "a": 9007199254740993\n}')
})
