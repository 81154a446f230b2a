import { formatFieldError, newFieldPath } from '@keelson/apimachinery'
import * as fc from 'fast-check'
import { isIP } from 'node:net'
import { describe, expect, it } from 'vitest'
import { formatIP, findIPWarnings, parseIP, validateLegacyIP } from './ip-address.ts'

const path = newFieldPath('ip')

describe('IP addresses', () => {
  it('are valid without leading zeros if and only if Node.js accepts them', () => {
    fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => parseIP(text) !== undefined))
    const character = fc.constantFrom('0', '1', 'f', ':', '.', '::', 'g')
    fc.assert(
      fc.property(fc.array(character, { maxLength: 20 }), (characters) => {
        const text = characters.join('')
        const address = parseIP(text)
        return isIP(text) !== 0 ? address !== undefined : address === undefined || address.hasLeadingZeros
      }),
    )
  })

  it('stay equal after formatting and parsing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseIP(text)!
        expect(parseIP(formatIP(address))!.bytes).toEqual(address.bytes)
      }),
    )
    expect(formatIP(parseIP('FE80:0:0:0:0:0:0:0abc')!)).toBe('fe80::abc')
    expect(formatIP(parseIP('1:0:0:2:0:0:0:3')!)).toBe('1:0:0:2::3')
    expect(formatIP(parseIP('1:0:2:3:4:5:6:7')!)).toBe('1:0:2:3:4:5:6:7')
    expect(formatIP(parseIP('::')!)).toBe('::')
  })

  it.each([
    ['10.9.8.7', []],
    ['2001:db8::ffff', []],
    ['10.9.8', ['ip: Invalid value: "10.9.8": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['010.9.8.7', ['ip: Invalid value: "010.9.8.7": must not have leading 0s']],
    ['::ffff:1.2.3.4', ['ip: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address']],
  ])('have the expected errors in a legacy field: %s', (text, messages) => {
    expect(validateLegacyIP(text, path).map(formatFieldError)).toEqual(messages)
    expect(validateLegacyIP(text, path, new Set([text]))).toEqual([])
  })

  it('cause a warning if they are not canonical', () => {
    expect(findIPWarnings('010.9.8.7', path)).toEqual(['ip: non-standard IP address "010.9.8.7" is invalid: use "10.9.8.7"'])
    expect(findIPWarnings('FE80::1', path)).toEqual(['ip: IPv6 address "FE80::1" should be in RFC 5952 canonical format ("fe80::1")'])
    expect(findIPWarnings('10.9.8.7', path)).toEqual([])
  })
})
