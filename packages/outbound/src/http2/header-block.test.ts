import { expect, it } from 'vitest'
import { encodeHeaders, HeaderBlockError, HeaderDecoder } from './header-block.ts'
import type { DecodedHeaders } from './header-block.ts'

const decodeHex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')

/** Encodes a text of at least 127 bytes that HPACK does not compress. */
function encodeText(text: string): string {
  let encoded = '\x7f'
  let length = text.length - 127
  for (; length >= 0x80; length >>>= 7) encoded += String.fromCharCode((length & 0x7f) | 0x80)
  return encoded + String.fromCharCode(length) + text
}

it('decodes the responses of RFC 7541, appendix C.6, with a shared table', () => {
  const decoder = new HeaderDecoder(64 * 1024)
  const first = decoder.decode(
    decodeHex(
      '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
    ),
  )
  const date = ['date', 'Mon, 21 Oct 2013 20:13:21 GMT']
  expect(first.list).toEqual([':status', '302', 'cache-control', 'private', ...date, 'location', 'https://www.example.com'])
  expect(decoder.decode(decodeHex('4883 640e ffc1 c0bf')).list).toEqual([':status', '307', ...first.list.slice(2)])
})

it('encodes what it decodes', () => {
  const list = [':method', 'GET', ':path', '/apis?x=1', 'X-Remote-User', 'system:\xe4dmin', 'accept', '', 'x-long', 'x'.repeat(20_000)]
  const { list: decoded } = new HeaderDecoder(64 * 1024).decode(Buffer.from(encodeHeaders(list), 'latin1'))
  expect(decoded).toEqual(list.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text)))
})

it('decodes the shortest and the longest codes of bytes', () => {
  // Codes from RFC 7541, appendix B, padded with ones.
  const decoder = new HeaderDecoder(1000)
  const decodeValue = (code: string): DecodedHeaders => {
    const bits = code.padEnd(Math.ceil(code.length / 8) * 8, '1')
    const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)))
    return decoder.decode(Buffer.concat([Buffer.from([0x0f, 0x04, 0x80 | bytes.length]), bytes]))
  }
  expect(decodeValue('010100').list[1]).toBe(' ')
  expect(decodeValue('11111000').list[1]).toBe('&')
  expect(decodeValue('11111111111111111111101110').list[1]).toBe('\xff')
  expect(decodeValue('0101001111111111111111111110111000111').list[1]).toBe(' \xffo')
})

it.each([
  ['an index beyond the table', '80'],
  ['an unknown index', 'c0'],
  ['a text that is cut', '0005 6162'],
  ['an integer without end', 'ffff ffff ffff ffff'],
  ['a table that is too large', '3fe2 1f'],
  ['the end of the text in a value', '0f04 84 ffff ffff'],
  ['padding of more than seven bits', '0f04 82 53ff ff'],
])('refuses %s', (_name, block) => {
  expect(() => new HeaderDecoder(1000).decode(decodeHex(block))).toThrow(HeaderBlockError)
})

it('drops lists that are too large or not valid, and keeps its table', () => {
  const decoder = new HeaderDecoder(200)
  expect(decoder.decode(decodeHex('4001 6101 62'))).toEqual({ list: ['a', 'b'] })
  const block = Buffer.concat([decodeHex('4001 6301 64'), Buffer.from(encodeHeaders(['x-large', 'x'.repeat(300)]), 'latin1')])
  expect(decoder.decode(block)).toEqual({ list: [], problem: 'tooLarge' })
  expect(decoder.decode(decodeHex('be bf'))).toEqual({ list: ['c', 'd', 'a', 'b'] })
  expect(decoder.decode(decodeHex('0001 4101 62')).problem).toBe('invalid')
  expect(decoder.decode(decodeHex('0001 6102 0d0a')).problem).toBe('invalid')
  // Entries that do not fit any longer are dropped, oldest first.
  expect(decoder.decode(decodeHex('3f24 be')).list).toEqual(['c', 'd'])
  expect(() => decoder.decode(decodeHex('bf'))).toThrow(HeaderBlockError)
})

it('refuses to encode headers that end a line or belong to a connection', () => {
  for (const headers of [
    ['x-a', 'b\r\nc: d'],
    ['x a', 'b'],
    ['Connection', 'close'],
    ['x-a', '\u0141'],
  ]) {
    expect(() => encodeHeaders(headers)).toThrow(TypeError)
  }
})

it('decodes thousands of references to a long entry in little time', () => {
  const decoder = new HeaderDecoder(64 * 1024)
  decoder.decode(Buffer.from(`\x40\x01a${encodeText('b'.repeat(4000))}`, 'latin1'))
  const measure = (block: Buffer): number => {
    const start = process.cpuUsage()
    for (let i = 0; i < 20; i++) expect(decoder.decode(block).problem).toBe('tooLarge')
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000 / 20
  }
  // References to the whole entry, and then new entries with its name.
  expect(measure(Buffer.alloc(16_384, 0xbe))).toBeLessThan(10)
  decoder.decode(Buffer.from(`\x40${encodeText('a'.repeat(4000))}\0`, 'latin1'))
  expect(measure(Buffer.alloc(16_384, '\x7e\0', 'latin1'))).toBeLessThan(10)
})

it('refers to an invalid entry of the table as often as it is used', () => {
  const decoder = new HeaderDecoder(1000)
  expect(decoder.decode(decodeHex('4001 4101 62')).problem).toBe('invalid')
  expect(decoder.decode(decodeHex('be')).problem).toBe('invalid')
  expect(decoder.decode(decodeHex('7e00')).problem).toBe('invalid')
})

it('keeps no entry that is larger than the table', () => {
  const decoder = new HeaderDecoder(1000)
  decoder.decode(decodeHex('4001 6101 62'))
  expect(decoder.decode(Buffer.from(`\x40\x01c${encodeText('d'.repeat(4096))}`, 'latin1')).problem).toBe('tooLarge')
  expect(() => decoder.decode(decodeHex('be'))).toThrow(HeaderBlockError)
  decoder.decode(decodeHex('4001 6501 66'))
  expect(decoder.decode(decodeHex('be')).list).toEqual(['e', 'f'])
  expect(() => decoder.decode(decodeHex('bf'))).toThrow(HeaderBlockError)
})
