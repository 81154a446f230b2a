import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TypeSchema } from '../type-schema.ts'
import { decodeCbor, encodeCbor, encodeCborDocument } from './index.ts'

const fromHex = (text: string): Buffer => Buffer.from(text, 'hex')
const decode = (text: string): unknown => decodeCbor(fromHex(text))

describe('decoding CBOR', () => {
  it.each<[string, unknown]>([
    ['0a', 10],
    ['20', -1],
    ['1b7fffffffffffffff', 2n ** 63n - 1n],
    ['3b7fffffffffffffff', -(2n ** 63n)],
    ['1b001fffffffffffff', Number.MAX_SAFE_INTEGER],
    ['40', ''],
    ['4161', 'a'],
    ['60', ''],
    ['7f616161626163ff', 'abc'],
    [
      '9f9f8080ff9f8080ffff',
      [
        [[], []],
        [[], []],
      ],
    ],
    ['bf6141bf616101616202ff6142a0ff', { A: { a: 1, b: 2 }, B: {} }],
    ['a24161015f41624163ff02', { a: 1, bc: 2 }],
    ['fb4000000000000000', 2],
    ['f94200', 3],
    ['f90001', 2 ** -24],
    ['f98000', -0],
    ['fa7f7fffff', 3.4028234663852886e38],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['d9d9f7a0', {}],
    ['d64401020304', 'AQIDBA=='],
    ['d54401020304', 'AQIDBA'],
    ['d74401020304', '01020304'],
    ['d682440102030441ff', ['AQIDBA==', '/w==']],
    ['d6a1416141ff', { a: '/w==' }],
    ['c074323030362d30312d30325431353a30343a30355a', '2006-01-02T15:04:05Z'],
    ['c11a43b940e5', '2006-01-02T15:04:05Z'],
    ['c1f9bc00', '1969-12-31T23:59:59Z'],
    ['c1fb3ff8000000000000', '1970-01-01T00:00:01.5Z'],
    ['c48221196ab3', [-2, 27_315]],
  ])('reads %s', (input, value) => {
    expect(decode(input)).toEqual(value)
  })

  it.each<[string, string, string]>([
    ['1bffffffffffffffff', '18446744073709551615 overflows', 'more than int64'],
    ['3bffffffffffffffff', '-18446744073709551616 overflows', 'less than int64'],
    ['6180', 'invalid UTF-8', 'text that is not UTF-8'],
    ['7f61c361a9ff', 'invalid UTF-8', 'a character in two chunks'],
    ['a2614101614102', 'duplicate map key "A" at map element index 1', 'a key twice'],
    ['a2414101614102', 'duplicate map key "A" at map element index 1', 'a key as bytes and as text'],
    ['a120f6', 'negative integer', 'a key that is a number'],
    ['a1fb40091eb851eb851f63706965', 'primitives', 'a key that is a fraction'],
    ['a1f6f6', 'primitives', 'a key that is null'],
    ['f97c00', 'infinity', 'infinity'],
    ['faff800000', 'infinity', 'minus infinity'],
    ['fb7ff8000000000000', 'NaN', 'NaN'],
    ['f7', 'simple value 23', 'undefined'],
    ['e0', 'simple value 0', 'an unassigned simple value'],
    ['f820', 'simple value 32', 'another'],
    ['f818', 'invalid simple value 24', 'a simple value in the wrong form'],
    ['c249010000000000000000', 'bignum', 'a large number'],
    ['c054323030362d30312d30325431353a30343a30355a', 'must be followed by text string', 'a time in bytes'],
    ['c06474657874', 'cannot set text', 'a time that is none'],
    ['c11b0000003afff44181', 'year outside of range', 'a late time'],
    ['c180', 'must be followed by integer', 'a time that is a list'],
    ['ff', 'unexpected "break"', 'a break alone'],
    ['81ff', 'unexpected "break"', 'a break in a list of known length'],
    ['bf6161ff', 'unexpected "break"', 'a break for a value'],
    ['1c', 'additional information 28', 'a reserved head'],
    ['1f', 'additional information 31', 'an integer without an end'],
    ['df00', 'additional information 31', 'a tag without a number'],
    ['5f6161ff', 'wrong element type', 'text among bytes'],
    ['5f5f4161ffff', 'wrong element type', 'chunks in chunks'],
    ['0000', '1 bytes of extraneous data starting at index 1', 'two documents'],
    ['', 'EOF', 'nothing'],
    ['9b7fffffffffffffff', 'unexpected EOF', 'a list longer than its document'],
    ['bbffffffffffffffff', 'unexpected EOF', 'a map longer than its document'],
    ['5b7fffffffffffffff00', 'unexpected EOF', 'a string longer than its document'],
    ['d9d9', 'unexpected EOF', 'half a tag'],
    ['8161', 'unexpected EOF', 'half a list'],
  ])('rejects %s with "%s" (%s)', (input, message) => {
    expect(() => decode(input)).toThrow(message)
  })

  it('limits nesting without recursion', () => {
    expect(() => decodeCbor(Buffer.alloc(3_000_000, 0x81))).toThrow('exceeded max nested level 10000')
    expect(() => decodeCbor(Buffer.alloc(3_000_000, 0xd6))).toThrow('exceeded max nested level 10000')
    expect(() => decodeCbor(Buffer.concat([Buffer.alloc(9_999, 0x81), fromHex('80')]))).not.toThrow()
  })

  it('keeps a key named like a prototype member', () => {
    const value = decodeCbor(encodeCbor(JSON.parse('{"__proto__": 1, "constructor": 2}'))) as object
    expect(Object.entries(value)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ])
  })

  it('property: decodes any input or throws a CborError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          decodeCbor(bytes)
        } catch (error) {
          expect((error as Error).name).toBe('CborError')
        }
      }),
    )
  })
})

describe('encoding CBOR', () => {
  it('property: decoding an encoded value returns the value', () => {
    const scalar = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
    const value = fc.oneof(scalar, fc.dictionary(fc.string({ unit: 'grapheme' }), scalar), fc.array(scalar))
    fc.assert(
      fc.property(value, (written) => {
        expect(decodeCbor(encodeCborDocument(written))).toEqual(toPlain(written))
      }),
    )
  })

  it.each<[unknown, string]>([
    ['a', '4161'],
    [24, '1818'],
    [-1, '20'],
    [2 ** 32, '1b0000000100000000'],
    [2n ** 63n - 1n, '1b7fffffffffffffff'],
    [-(2n ** 63n), '3b7fffffffffffffff'],
    [1.5, 'f93e00'],
    [5.960464477539063e-8, 'f90001'],
    [65_504.5, 'fa477fe080'],
    [0.1, 'fb3fb999999999999a'],
    [{ a: [true, null], b: undefined }, 'a1416182f5f6'],
  ])('writes %s', (value, written) => {
    expect(encodeCbor(value).toString('hex')).toBe(written)
  })

  it('encodes bytes and floating-point numbers by the schema', () => {
    const fields = (['bytes', 'double', 'int64'] as const).map((kind) => ({ name: kind, type: { kind } }))
    const schema: TypeSchema = {
      kind: 'struct',
      name: 'Test',
      definition: 'test',
      fields,
      byName: new Map(fields.map((field) => [field.name, field])),
    }
    const written = encodeCbor({ bytes: 'AQIDBA==', double: 2, int64: 2 }, schema)
    expect(written.toString('latin1')).toBe(`\xa3\x45bytes\xd6\x44\x01\x02\x03\x04\x46double\xf9\x40\x00\x45int64\x02`)
    expect(decodeCbor(written)).toEqual({ bytes: 'AQIDBA==', double: 2, int64: 2 })
  })
})

/** Converts bigints that a double represents exactly to numbers. */
function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toPlain(member)]))
}
