import { expect, it } from 'vitest'
import { parsePemBlocks } from './pem.ts'

const block = (label: string, body = 'AAAA\n'): string => `-----BEGIN ${label}-----\n${body}-----END ${label}-----`

it('finds blocks and skips other text', () => {
  const text = `a comment\n${block('CERTIFICATE')}\r\nmore\n${block('PRIVATE KEY', '')}`
  expect(parsePemBlocks(text)).toEqual([
    { label: 'CERTIFICATE', text: block('CERTIFICATE'), body: 'AAAA\n' },
    { label: 'PRIVATE KEY', text: block('PRIVATE KEY', ''), body: '' },
  ])
})

it('reads CRLF line breaks', () => {
  const [pemBlock] = parsePemBlocks(block('A').replaceAll('\n', '\r\n'))
  expect(pemBlock).toMatchObject({ label: 'A', body: 'AAAA\r\n' })
})

it.each([
  ['an end of another label', '-----BEGIN A-----\nAAAA\n-----END B-----\n'],
  ['no end', '-----BEGIN A-----\nAAAA\n'],
  ['text after the END line', `${block('A')}x\n`],
  ['something before the beginning', ` ${block('A')}`],
  ['no dashes after the label', '-----BEGIN A\nAAAA\n-----END A-----\n'],
])('finds no block in %s', (_, text) => {
  expect(parsePemBlocks(text)).toEqual([])
})

it('finds a block after an unterminated one', () => {
  expect(parsePemBlocks(`-----BEGIN A-----\nAAAA\n${block('B')}\n`)).toMatchObject([{ label: 'B' }])
})
