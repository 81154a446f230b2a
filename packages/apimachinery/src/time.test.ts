import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'
import { formatMicroTime, formatTime, normalizeMicroTime, normalizeTime, parseInstant, parseTime } from './time.ts'

describe('times', () => {
  it('formats times in UTC, with whole seconds or six digits', () => {
    expect(formatTime(1_700_000_000_999)).toBe('2023-11-14T22:13:20Z')
    expect(formatMicroTime(1_700_000_000_123)).toBe('2023-11-14T22:13:20.123000Z')
    expect(normalizeTime('2023-11-14T23:13:20.5+01:00')).toBe('2023-11-14T22:13:20Z')
    expect(normalizeTime('0001-01-01T00:00:00Z')).toBeNull()
    expect(normalizeMicroTime('2023-11-14T22:13:20.000001Z')).toBe('2023-11-14T22:13:20.000001Z')
    expect(parseInstant('2023-11-14T22:13:20.123456789Z').nanos).toBe(123456789)
  })

  it.each([
    [0, '1970-01-01T00:00:00.000000Z'],
    [-0.001, '1969-12-31T23:59:59.999999Z'],
    [1_767_322_245_999.999, '2026-01-02T02:50:45.999999Z'],
    [1_767_322_250_500, '2026-01-02T02:50:50.500000Z'],
  ])('formats %d milliseconds with microseconds', (milliseconds, text) => {
    expect(formatMicroTime(milliseconds)).toBe(text)
  })

  it('property: parsing a formatted time returns it', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), (seconds) => {
        expect(parseTime(formatTime(seconds * 1000))).toBe(seconds * 1000)
      }),
    )
  })

  it.each([
    ['"é\n', 'parsing time "\\"\\xc3\\xa9\\x0a" as "2006-01-02T15:04:05Z07:00": cannot parse "\\"\\xc3\\xa9\\x0a" as "2006"'],
    ['yesterday', 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'],
    ['2020-01-01', 'parsing time "2020-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ['2020-13-01T00:00:00Z', 'parsing time "2020-13-01T00:00:00Z": month out of range'],
    ['2020-02-30T00:00:00Z', 'parsing time "2020-02-30T00:00:00Z": day out of range'],
    ['2020-01-01T00:00:00', 'parsing time "2020-01-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"'],
    ['2020-01-01T00:00:00Zx', 'parsing time "2020-01-01T00:00:00Zx": extra text: "x"'],
  ])('rejects %s', (text, message) => {
    expect(() => parseTime(text)).toThrow(message)
  })

  it('requires six digits in a MicroTime', () => {
    expect(() => normalizeMicroTime('2020-01-01T00:00:00Z')).toThrow('cannot parse "Z" as ".000000"')
  })
})

describe('durations', () => {
  it.each([
    ['0', '0s'],
    ['1h30m', '1h30m0s'],
    ['90s', '1m30s'],
    ['1.5s', '1.5s'],
    ['-100ms', '-100ms'],
    ['1us', '1µs'],
    ['1500ns', '1.5µs'],
    ['100h', '100h0m0s'],
  ])('parses and formats %s as %s', (text, canonical) => {
    expect(formatDuration(parseDuration(text))).toBe(canonical)
  })

  it.each([
    ['', 'time: invalid duration ""'],
    ['1', 'time: missing unit in duration "1"'],
    ['1x', 'time: unknown unit "x" in duration "1x"'],
    ['s', 'time: invalid duration "s"'],
    ['9999999h', 'time: invalid duration "9999999h"'],
  ])('rejects %j', (text, message) => {
    expect(() => parseDuration(text)).toThrow(message)
  })

  it('property: parsing a formatted duration returns it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), (nanos) => {
        expect(parseDuration(formatDuration(nanos))).toBe(nanos)
      }),
    )
  })
})
