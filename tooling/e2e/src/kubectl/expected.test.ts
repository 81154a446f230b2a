import { expect, test } from 'vitest'
import { describeDifference, matchLines, matchTable } from './expected.ts'
import { splitWords } from './split-words.ts'

test('table() matches exactly these rows', () => {
  const expected = matchTable('NAME DATA AGE', 'a 1 *')
  expect(describeDifference('NAME   DATA   AGE\na      1      5s\n', expected)).toBeUndefined()
  for (const printed of ['NAME   DATA   AGE\n', 'NAME DATA AGE\na 2 5s\n', 'NAME DATA AGE\na 1 5s\nb 1 5s\n', 'NAME DATA\na 1 5s\n'])
    expect(describeDifference(printed, expected)).toBeDefined()
})

test('lines() matches whole lines, and all must be present', () => {
  const expected = matchLines('Name: p', 'cpu 1 (2%)')
  expect(describeDifference('Name:   p\nCapacity:\n  cpu  1 (2%)\n', expected)).toBeUndefined()
  expect(describeDifference('Name: p\n', expected)).toContain('cpu')
  expect(describeDifference('Name: pq\ncpu 1 (2%)\n', expected)).toContain('Name')
})

test('a string matches the whole output, except for the last line break', () => {
  expect(describeDifference('a\n', 'a')).toBeUndefined()
  expect(describeDifference('a', 'a')).toBeUndefined()
  for (const printed of ['', 'a\n\n', 'ab', ' a']) expect(describeDifference(printed, 'a')).toBeDefined()
})

test('splitWords() splits a command into words', () => {
  expect(splitWords(`patch cm a -p {"a":"b"} -l 'a in (b, c)' --x='1 2' ''`)).toEqual([
    'patch',
    'cm',
    'a',
    '-p',
    '{"a":"b"}',
    '-l',
    'a in (b, c)',
    '--x=1 2',
    '',
  ])
})
