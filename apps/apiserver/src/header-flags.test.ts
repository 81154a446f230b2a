import { expect, test } from 'vitest'
import { parseHstsDirective, parseOriginPattern } from './header-flags.ts'

test.each([
  ['//example\\.com(:|$)', 'https://example.com', 'https://example.com.evil'],
  ['(?i)^https://Example\\.com$', 'https://example.com', 'http://example.com'],
])('accepts %s as a pattern of origins', (text, yes, no) => {
  expect([yes, no].map((origin) => parseOriginPattern(text).test(origin))).toEqual([true, false])
})

test.each(['example', '^example', 'example$', '^(example$', ''])('rejects %s as a pattern of origins', (text) => {
  expect(() => parseOriginPattern(text)).toThrow('--cors-allowed-origins')
})

test('accepts directives of transport security', () => {
  for (const text of ['max-age=31536000', 'includeSubDomains', 'preload']) expect(parseHstsDirective(text)).toBe(text)
  for (const text of ['max-age', 'includesubdomains', 'max-age=1=2', '']) {
    expect(() => parseHstsDirective(text)).toThrow('allowed values')
  }
})
