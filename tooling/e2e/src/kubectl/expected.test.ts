import { expect, test } from 'vitest'
import { difference, lines, table } from './expected.ts'
import { splitWords } from './split-words.ts'

test('a table is these rows and no others', () => {
  const expected = table('NAME DATA AGE', 'a 1 *')
  expect(difference('NAME   DATA   AGE\na      1      5s\n', expected)).toBeUndefined()
  for (const printed of ['NAME   DATA   AGE\n', 'NAME DATA AGE\na 2 5s\n', 'NAME DATA AGE\na 1 5s\nb 1 5s\n', 'NAME DATA\na 1 5s\n'])
    expect(difference(printed, expected)).toBeDefined()
})

test('lines are whole lines, every one of them', () => {
  const expected = lines('Name: p', 'cpu 1 (2%)')
  expect(difference('Name:   p\nCapacity:\n  cpu  1 (2%)\n', expected)).toBeUndefined()
  expect(difference('Name: p\n', expected)).toContain('cpu')
  expect(difference('Name: pq\ncpu 1 (2%)\n', expected)).toContain('Name')
})

test('text is all that is printed, but for the last line break', () => {
  expect(difference('a\n', 'a')).toBeUndefined()
  expect(difference('a', 'a')).toBeUndefined()
  for (const printed of ['', 'a\n\n', 'ab', ' a']) expect(difference(printed, 'a')).toBeDefined()
})

test('words of a command', () => {
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
