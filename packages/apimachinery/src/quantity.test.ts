import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalizeQuantity, parseQuantity, Quantity } from './quantity.ts'
import { measureProcessorTime } from './testing/index.ts'

describe('parseQuantity', () => {
  it.each([
    ['0', '0'],
    ['0n', '0'],
    ['0Mi', '0'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['1.5', '1500m'],
    ['1.500', '1.500'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1025Ki', '1025Ki'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['0.5Mi', '512Ki'],
    ['0.0001Ki', '102400u'],
    ['1e3', '1e3'],
    ['1000e3', '1e6'],
    ['100E', '100E'],
    ['12e6', '12e6'],
    ['1E6', '1E6'],
    ['-1500Mi', '-1500Mi'],
    ['+1', '+1'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['1.0000000001', '1000000001n'],
    ['9Ei', '9223372036854775807'],
    ['7Ei', '7Ei'],
    ['9223372036854775808', '9223372036854775808'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['1.', '1.'],
    ['.', '0'],
    ['+', '0'],
    ['0e5000', '0'],
    ['-0', '0'],
    ['00.10', '100m'],
    ['1e-9999', '1e-9'],
    ['-1E-9999', '-1e-9'],
    [`1${'0'.repeat(2000)}Ki`, '9223372036854775807'],
    [`-1${'0'.repeat(2000)}Mi`, '-9223372036854775807'],
    [`${'0'.repeat(2000)}7`, `${'0'.repeat(2000)}7`],
    [`0.${'0'.repeat(2000)}1`, '1n'],
    [`1.5${'0'.repeat(2000)}`, '1500m'],
    [`1.5${'0'.repeat(2000)}1`, '1500000001n'],
    [`1.5${'0'.repeat(2000)}1Ki`, '1536000000001n'],
    ['9'.repeat(1000), '9'.repeat(1000)],
  ])('parses %s as %s', (text, canonical) => {
    expect(parseQuantity(text).toString()).toBe(canonical)
  })

  it.each([
    ['', /^quantities must match the regular expression '/],
    ['abc', /^quantities must match/],
    ['1.2.3', /^quantities must match/],
    ['1 ', /^quantities must match/],
    ['1mm', /^unable to parse quantity's suffix$/],
    ['1Kii', /^unable to parse quantity's suffix$/],
    ['1e999999999', /^unable to parse numeric part of quantity$/],
    ['1e1000', /^unable to parse numeric part of quantity$/],
    ['1'.repeat(1001), /^unable to parse numeric part of quantity$/],
    ['1e99999999999999999999', /^unable to parse quantity's suffix$/],
    ['1.e', /^unable to parse quantity's suffix$/],
    ['1-', /^unable to parse quantity's suffix$/],
  ])('rejects %j', (text, message) => {
    expect(() => parseQuantity(text)).toThrow(message)
  })

  it.each([
    ['zeros and a letter', (n: number) => `${'0'.repeat(n)}x`],
    ['digits and a letter', (n: number) => `${'1'.repeat(n)}x`],
    ['a fraction of zeros and a letter', (n: number) => `0.${'0'.repeat(n)}x`],
    ['zeros', (n: number) => '0'.repeat(n)],
    ['digits', (n: number) => '1'.repeat(n)],
    ['binary digits', (n: number) => `${'1'.repeat(n)}Ki`],
    ['a long fraction', (n: number) => `1.${'1'.repeat(n)}`],
    ['a long suffix', (n: number) => `1${'e'.repeat(n)}`],
    ['a long exponent', (n: number) => `1e${'1'.repeat(n)}`],
  ])('takes linear time to parse %s', async (_, text) => {
    const read = (length: number): void => {
      try {
        parseQuantity(text(length)).toString()
      } catch {}
    }
    expect(await measureProcessorTime(() => read(3_000_000))).toBeLessThan(200_000)
  })

  it('accepts JSON numbers', () => {
    expect(canonicalizeQuantity(2)).toBe('2')
    expect(canonicalizeQuantity(0.1)).toBe('100m')
  })
})

describe('Quantity', () => {
  const quantity = fc
    .tuple(
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      fc.integer({ min: -9, max: 18 }),
      fc.constantFrom('DecimalSI', 'DecimalExponent'),
    )
    .map(([unscaled, exponent, format]) => new Quantity(unscaled, exponent, format as 'DecimalSI'))
  const written = fc
    .tuple(
      fc.integer({ min: 0, max: 99999 }),
      fc.option(fc.integer({ min: 0, max: 999 })),
      fc.constantFrom('', 'm', 'k', 'M', 'Ki', 'Mi', 'Gi', 'e3', 'E-3'),
    )
    .map(([whole, fraction, suffix]) => `${whole}${fraction === null ? '' : `.${fraction}`}${suffix}`)

  it('property: parsing a printed quantity returns the same value', () => {
    fc.assert(
      fc.property(written, (text) => {
        const once = parseQuantity(text)
        const twice = parseQuantity(once.toString())
        expect(twice.compare(once)).toBe(0)
        expect(twice.toString()).toBe(once.toString())
      }),
    )
  })

  it('prints long numbers', () => {
    expect(parseQuantity(`1${'0'.repeat(999)}`).toString()).toBe('1')
    expect(parseQuantity(`${'1'.repeat(400)}${'0'.repeat(6)}`).toString()).toBe(`${'1'.repeat(400)}M`)
  })

  it('adds and subtracts exactly', () => {
    fc.assert(
      fc.property(quantity, quantity, quantity, (a, b, c) => {
        expect(a.add(b).sub(b).compare(a)).toBe(0)
        expect(a.add(b).compare(b.add(a))).toBe(0)
        expect(
          a
            .add(b)
            .add(c)
            .compare(a.add(b.add(c))),
        ).toBe(0)
        expect(Math.sign(a.compare(b))).toBe(a.sub(b).sign())
      }),
    )
  })

  it("keeps the first operand's format", () => {
    const sum = (a: string, b: string): string => parseQuantity(a).add(parseQuantity(b)).toString()
    expect(sum('1Gi', '1024Mi')).toBe('2Gi')
    expect(sum('0', '1Gi')).toBe('1Gi')
    expect(sum('1', '500m')).toBe('1500m')
    expect(sum('1Gi', '1')).toBe('1073741825')
  })

  it('rounds away from zero', () => {
    expect(parseQuantity('1500m').value()).toBe(2n)
    expect(parseQuantity('-1500m').value()).toBe(-2n)
    expect(parseQuantity('1u').milliValue()).toBe(1n)
    expect(parseQuantity('2Gi').value()).toBe(2147483648n)
    expect(parseQuantity('1500m').toNumber()).toBe(1.5)
  })
})
