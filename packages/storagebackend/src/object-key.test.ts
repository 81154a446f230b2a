import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { isInRange, createPrefixRange } from './object-key.ts'

const text = fc
  .array(fc.constantFrom('a', 'b', '/', '\x7f', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', '\0'), { maxLength: 5 })
  .map((parts) => parts.join(''))

it('the range of a prefix contains exactly the keys that start with it', () => {
  fc.assert(
    fc.property(text, text, (prefix, key) => {
      if (!/^\u{10ffff}*$/u.test(prefix)) expect(isInRange(createPrefixRange(prefix), key)).toBe(key.startsWith(prefix))
    }),
  )
  expect(createPrefixRange('/registry/pods/')).toEqual({ start: '/registry/pods/', end: '/registry/pods0' })
})

it('a range without an end contains only its start key', () => {
  expect(isInRange({ start: 'a', end: undefined }, 'a')).toBe(true)
  expect(isInRange({ start: 'a', end: undefined }, 'ab')).toBe(false)
})
