import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeStaticBandSize, searchOrder } from './static-band.ts'
import { Bitmap } from './bitmap.ts'
import { IPRange, parseIPRanges } from './ip-range.ts'
import { formatPortRange, parsePortRange, computePortStaticBand } from './port-range.ts'

describe('searchOrder', () => {
  it('searchOrder yields each number once, and the numbers of the static band last', () => {
    const arbitrary = fc.record({
      size: fc.integer({ min: 1, max: 300 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      seed: fc.nat(),
    })
    fc.assert(
      fc.property(arbitrary, ({ size, share, seed }) => {
        const band = Math.floor(size * share)
        const order = [...searchOrder(size, band, (below) => seed % below)]
        expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i))
        expect(order.slice(0, size - band).every((n) => n >= band)).toBe(true)
      }),
    )
  })

  it.each([
    [{ min: 16, max: 256, divisor: 16 }, 16, 0],
    [{ min: 16, max: 256, divisor: 16 }, 256, 16],
    [{ min: 16, max: 256, divisor: 16 }, 1024, 64],
    [{ min: 16, max: 256, divisor: 16 }, 65_536, 256],
  ])("has kube-apiserver's static band: %j of %i", (rule, size, band) => {
    expect(computeStaticBandSize(size, rule)).toBe(band)
  })
})

describe('IP ranges', () => {
  it.each([
    ['10.0.0.0/24', 254, '10.0.0.1', '10.0.0.254'],
    ['10.0.0.0/30', 2, '10.0.0.1', '10.0.0.2'],
    ['255.255.255.0/28', 14, '255.255.255.1', '255.255.255.14'],
    ['fd00::/112', 65_535, 'fd00::1', 'fd00::ffff'],
    ['fd00::/64', 2 ** 48 - 1, 'fd00::1', 'fd00::ffff:ffff:ffff'],
  ])('%s has %i addresses, from %s to %s', (text, size, first, last) => {
    const range = new IPRange(text)
    expect([range.size, range.address(0), range.address(size - 1)]).toEqual([size, first, last])
    expect([range.contains(first), range.contains(last), range.contains(range.placeholder)]).toEqual([true, true, false])
  })

  it.each(['10.0.0.0', '10.0.0.0/32', '::ffff:10.0.0.0/112', 'fd00::/63', 'a/8'])('%s is invalid', (text) => {
    expect(() => new IPRange(text)).toThrow()
  })

  it('IP ranges may have one CIDR per IP family', () => {
    expect(parseIPRanges('fd00::/112, 10.0.0.0/24').map(({ family }) => family)).toEqual(['IPv6', 'IPv4'])
    expect(() => parseIPRanges('10.0.0.0/24,10.1.0.0/24')).toThrow('different IP families')
    expect(() => parseIPRanges('10.0.0.0/24,fd00::/112,10.1.0.0/24')).toThrow('at most two')
  })
})

describe('port ranges', () => {
  it.each([
    ['30000-32767', 30_000, 32_767],
    ['30000+2767', 30_000, 32_767],
    [' 80 ', 80, 80],
  ])('parse %s', (text, first, last) => {
    expect(parsePortRange(text)).toEqual({ first, last })
    expect(formatPortRange({ first, last })).toBe(`${first}-${last}`)
  })

  it.each(['', 'a', '2-1', '1-65536', '65536'])('%j is invalid', (text) => {
    expect(() => parsePortRange(text)).toThrow()
  })

  it('a port range has a static band', () => {
    expect(computePortStaticBand({ first: 30_000, last: 32_767 })).toBe(86)
    expect(computePortStaticBand({ first: 30_000, last: 30_015 })).toBe(0)
  })
})

describe('Bitmap', () => {
  it('a bitmap is encoded as a big-endian integer without leading zeros', () => {
    const bitmap = new Bitmap(2768)
    expect(bitmap.toBase64()).toBe('')
    bitmap.add(0)
    expect(bitmap.toBase64()).toBe(Buffer.from([1]).toString('base64'))
    bitmap.add(9)
    expect(bitmap.toBase64()).toBe(Buffer.from([2, 1]).toString('base64'))
  })

  it('decoding an encoded bitmap returns the same numbers', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(499)), fc.uniqueArray(fc.nat(499)), (added, deleted) => {
        const bitmap = new Bitmap(500)
        for (const n of added) expect(bitmap.add(n)).toBe(true)
        for (const n of deleted) bitmap.delete(n)
        const remaining = added.filter((n) => !deleted.includes(n)).toSorted((a, b) => a - b)
        const read = Bitmap.from(bitmap.toBase64(), 500)
        expect([...read]).toEqual(remaining)
        expect([read.count, bitmap.count]).toEqual([remaining.length, remaining.length])
        expect(read.toBase64()).toBe(bitmap.toBase64())
      }),
    )
  })
})
