import { expect, it } from 'vitest'
import { Warnings } from './warnings.ts'

function createHeaders(...texts: string[]): readonly string[] {
  const warnings = new Warnings()
  for (const text of texts) warnings.add(text)
  return warnings.headers
}

it('quotes texts, and drops empty, repeated and unprintable ones', () => {
  expect(createHeaders('a "b" \\', '', 'a "b" \\', 'two\nlines', 'c\u0085', 'last')).toEqual(['299 - "a \\"b\\" \\\\"', '299 - "last"'])
})

it('encodes characters as UTF-8 bytes', () => {
  expect(Buffer.from(createHeaders('grün')[0]!, 'latin1').toString('utf8')).toBe('299 - "grün"')
})

it('sends texts of 4096 characters together in full', () => {
  expect(createHeaders('a'.repeat(2048), 'b'.repeat(2048)).map(({ length }) => length)).toEqual([2056, 2056])
})

it('truncates all texts to 256 characters if they exceed 4096 characters together', () => {
  expect(createHeaders('a'.repeat(4000), 'b'.repeat(97), 'c'.repeat(300)).map(({ length }) => length)).toEqual([264, 105, 264])
})

it('counts a character beyond the basic plane once', () => {
  expect(createHeaders('\u{1f600}'.repeat(4096))).toHaveLength(1)
  const [first] = createHeaders('\u{1f600}'.repeat(4097))
  expect(Buffer.from(first!, 'latin1').toString('utf8')).toBe(`299 - "${'\u{1f600}'.repeat(256)}"`)
})

it('drops texts after the truncated ones reach 4096 characters', () => {
  const headers = createHeaders(...Array.from({ length: 40 }, (_, i) => String(i).padEnd(300, 'x')))
  expect(headers).toHaveLength(16)
})
