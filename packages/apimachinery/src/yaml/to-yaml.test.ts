import { expect, test } from 'vitest'
import { toYaml } from './to-yaml.ts'

test('sorts maps and does not indent lists', () => {
  expect(
    toYaml({
      kind: 'Status',
      details: { name: 'none', kind: 'x' },
      metadata: {},
      list: [{ b: [1, [2]], a: null }, [], 'x'],
      apiVersion: 'v1',
    }),
  ).toBe(
    'apiVersion: v1\ndetails:\n  kind: x\n  name: none\nkind: Status\nlist:\n- a: null\n  b:\n  - 1\n  - - 2\n- []\n- x\nmetadata: {}\n',
  )
})

test('compares numbers in keys by value, and puts letters last', () => {
  const keys = ['a10', 'a2', 'a1', 'A', 'b', 'a-1', 'a.b', '_a', '10', '2']
  expect(toYaml(Object.fromEntries(keys.map((key) => [key, 1]))).replaceAll(': 1\n', ' ')).toBe('_a "2" "10" A a-1 a.b a1 a2 a10 b ')
})

test.each([
  ['yes', '"yes"'],
  ['y', '"y"'],
  ['', '""'],
  ['1', '"1"'],
  ['0777', '"0777"'],
  ['1:30', '"1:30"'],
  ['2001-01-01', '"2001-01-01"'],
  ['<<', '<<'],
  ['a: b', "'a: b'"],
  ['a:b', 'a:b'],
  ['a #b', "'a #b'"],
  ['- a', "'- a'"],
  ['-a', '-a'],
  ['*a', "'*a'"],
  [' a', "' a'"],
  ["it's", "it's"],
  ["- it's", "'- it''s'"],
  ['a\tb', '"a\\tb"'],
  ['é', 'é'],
  ['😀', '"\\U0001F600"'],
  ['a\nb', '|-\n  a\n  b'],
  ['a\nb\n', '|\n  a\n  b'],
  ['a\n\n', '|+\n  a\n'],
  [' a\nb', '|2-\n   a\n  b'],
  ['a \nb', '"a \\nb"'],
])('writes the string %j', (text, written) => {
  expect(toYaml(text)).toBe(`${written}\n`)
})

test('folds long lines at 80 columns', () => {
  expect(toYaml({ a: 'word '.repeat(20).trim() })).toBe(`a: ${'word '.repeat(16).trim()}\n  word word word word\n`)
})

test('formats numbers', () => {
  expect(toYaml([1, 1.5, 1234567.5, 1e21, 1e-7, 0.0001, 2n ** 63n, true])).toBe(
    '- 1\n- 1.5\n- 1.2345675e+06\n- 1e+21\n- 1e-07\n- 0.0001\n- 9223372036854775808\n- true\n',
  )
})
