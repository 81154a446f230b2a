import { expect, it } from 'vitest'
import { FieldSets } from './field-sets.ts'

const text = (name: string): string => `{"f:${name}":{}}`

it('parses each set once', () => {
  const sets = new FieldSets()
  expect(sets.parse(text('a'))).toEqual({ 'f:a': {} })
  expect(sets.parse(text('a'))).toBe(sets.parse(text('a')))
  expect(sets.parse(text('b'))).toEqual({ 'f:b': {} })
  expect([sets.parse(''), sets.parse('{}')]).toEqual([null, {}])
  expect(() => sets.parse('{')).toThrow(expect.objectContaining({ name: 'ProtoError' }))
})

it('drops sets that were not used recently', () => {
  const sets = new FieldSets(3 * text('a').length)
  const [a, b] = [sets.parse(text('a')), sets.parse(text('b'))]
  for (const name of 'cdefgh') {
    sets.parse(text(name))
    expect(sets.parse(text('a'))).toBe(a)
  }
  expect(sets.parse(text('b'))).not.toBe(b)
})

it('does not retain very long sets', () => {
  const sets = new FieldSets()
  const long = text('x'.repeat(20_000))
  expect(sets.parse(long)).not.toBe(sets.parse(long))
})
