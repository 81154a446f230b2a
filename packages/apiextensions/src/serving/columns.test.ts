import { expect, it } from 'vitest'
import { createColumns } from './columns.ts'

const now = Date.parse('2026-01-02T00:00:00Z')
const object = {
  metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { i: 3, f: 1.5, b: true, s: 'x', n: null, l: ['p', 'q'], m: { b: 1, a: { d: 1, c: 2 } }, d: '2026-01-01T23:00:00Z' },
}

it.each([
  ['string', '.spec.s', 'x'],
  ['string', '.spec.i', '3'],
  ['string', '.spec.f', '1.5'],
  ['string', '.spec.b', 'true'],
  ['string', '.spec.n', '<no value>'],
  ['string', '.spec.l', '["p","q"]'],
  ['string', '.spec.l[*]', 'p'],
  ['string', '.spec.m', '{"a":{"c":2,"d":1},"b":1}'],
  ['string', '.spec.missing', null],
  ['string', '.spec.l[7]', null],
  ['integer', '.spec.i', 3],
  ['integer', '.spec.f', 1],
  ['integer', '.spec.s', null],
  ['number', '.spec.f', 1.5],
  ['boolean', '.spec.b', true],
  ['boolean', '.spec.i', null],
  ['date', '.spec.d', '60m'],
  ['date', '.spec.s', '<invalid>'],
  ['date', '.spec.i', null],
])('prints a column of type %s at %s', (type, jsonPath, cell) => {
  const [, column] = createColumns([{ name: 'X', type, jsonPath }])
  expect(column!.value(object, now)).toBe(cell)
})

it('prints the age if a definition has no columns, and omits columns after the first invalid path', () => {
  const [name, age, ...others] = createColumns(undefined)
  expect([name!.value(object, now), age!.value(object, now), age!.type, others]).toEqual(['a', '24h', 'date', []])
  const column = { name: 'X', type: 'string', jsonPath: '.spec.s' }
  expect(createColumns([column, { ...column, jsonPath: '.spec[' }, column]).map((each) => each.name)).toEqual(['Name', 'X'])
})
