import { expect, it } from 'vitest'
import { formatHumanDuration, createTableConvertor } from './table.ts'
import { widgets } from './testing/widgets.fixture.ts'

const object = { metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' }, spec: { size: 3 }, status: { phase: 'Ready' } }
const now = Date.parse('2026-01-01T00:05:30Z')

it('puts columns with priority 0 between Name and Age, and other columns after Age', () => {
  const table = createTableConvertor(widgets)
  expect(table.columns.map(({ name, type, format, priority }) => [name, type, format, priority].join('|'))).toEqual([
    'Name|string|name|0',
    'Size|integer||0',
    'Age|string||0',
    'Phase|string||1',
  ])
  expect(table.createCells(object, now)).toEqual(['a', 3, '5m30s', 'Ready'])
})

it('computes the cells of a column group once for each row', () => {
  let computed = 0
  const table = createTableConvertor({
    columns: [
      {
        columns: [
          { name: 'Least', type: 'integer' },
          { name: 'Most', type: 'integer' },
        ],
        priority: 1,
        row: () => [++computed, 7],
      },
      { name: 'Kind', value: () => 'a widget' },
    ],
  })
  expect(table.columns.map(({ name, priority }) => `${name}|${priority}`)).toEqual(['Name|0', 'Kind|0', 'Age|0', 'Least|1', 'Most|1'])
  expect(table.createCells(object, now)).toEqual(['a', 'a widget', '5m30s', 1, 7])
  expect(table.createCells(object, now)[3]).toBe(2)
})

it('shows Name and Created At if the definition has no columns, and Name and Age if its list of columns is empty', () => {
  expect(createTableConvertor({}).columns.map(({ name, type }) => `${name}|${type}`)).toEqual(['Name|string', 'Created At|date'])
  expect(createTableConvertor({}).createCells(object, now)).toEqual(['a', '2026-01-01T00:00:00Z'])
  expect(createTableConvertor({}).createCells({ metadata: {} }, now)).toEqual(['', '0001-01-01T00:00:00Z'])
  expect(createTableConvertor({ columns: [] }).createCells({ metadata: {} }, now)).toEqual(['', '<unknown>'])
})

it.each([
  [-5, '<invalid>'],
  [-1, '0s'],
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [330, '5m30s'],
  [600, '10m'],
  [3 * 3600 - 1, '179m'],
  [3 * 3600 + 60, '3h1m'],
  [8 * 3600 + 60, '8h'],
  [48 * 3600, '2d'],
  [50 * 3600, '2d2h'],
  [9 * 86400 + 3600, '9d'],
  [2 * 365 * 86400 + 86400, '2y1d'],
  [9 * 365 * 86400, '9y'],
])('%i s is printed as %s', (seconds, text) => {
  expect(formatHumanDuration(seconds * 1000)).toBe(text)
})
