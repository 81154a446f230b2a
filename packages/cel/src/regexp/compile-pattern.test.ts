import { describe, expect, it } from 'vitest'
import { findPatternError } from './check-pattern.ts'
import { compilePattern, isPatternCached } from './compile-pattern.ts'

describe('compilePattern', () => {
  it('keeps recent patterns, and forgets large ones sooner', () => {
    const createLargePattern = (n: number): string => `${n}[a-z]{1,900}`
    const first = compilePattern('^first$')
    expect(compilePattern('^first$')).toBe(first)
    compilePattern(createLargePattern(0))
    expect(isPatternCached(createLargePattern(0))).toBe(true)
    for (let n = 1; n < 200; n++) compilePattern(createLargePattern(n))
    expect(isPatternCached(createLargePattern(199))).toBe(true)
    expect(isPatternCached(createLargePattern(0))).toBe(false)
  })

  it('also keeps long patterns', () => {
    const pattern = `^(${Array.from({ length: 400 }, (_, n) => `value${n}`).join('|')})$`
    expect(compilePattern(pattern)).toBe(compilePattern(pattern))
  })
})

describe('findPatternError', () => {
  it.each([
    ['many repetitions', 'a{1000}'.repeat(1000)],
    ['a long text', 'ab'.repeat(50_000)],
    ['many alternatives', 'a|'.repeat(50_000)],
    ['many large classes', '\\pL'.repeat(2000)],
    ['large classes without case', `(?i)${'[\\pL\\pN]'.repeat(500)}`],
    ['a long class', `[${'ab'.repeat(200_000)}]`],
    ['a million classes', '[a]'.repeat(1_000_000)],
    ['a million characters', 'ab'.repeat(1_000_000)],
    ['a million ignored flags', '(?i)'.repeat(1_000_000)],
  ])('refuses patterns that take long to compile: %s', (_, pattern) => {
    expect(findPatternError(pattern)).toMatch(/^error parsing regexp: expression too large: /)
  })

  it.each(['^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?){0,7}$', '(?i)^[\\pL\\pN ]{1,100}$', '[a-z]{1000}'])(
    'accepts %s',
    (pattern) => expect(findPatternError(pattern)).toBeUndefined(),
  )

  it('repeats only the last character before a repetition operator', () => {
    expect(findPatternError(`${'a'.repeat(7000)}b{1000}`)).toBeUndefined()
    expect(findPatternError(`${'a'.repeat(7000)}😀{1000}`)).toBeUndefined()
    expect(findPatternError(`(${'a'.repeat(9000)}b){1000}`)).toMatch(/^error parsing regexp: expression too large: /)
    expect(findPatternError('[bcd-a]')).toBe('error parsing regexp: invalid character class range: `d-a`')
    expect(findPatternError('[bc😀-a]')).toBe('error parsing regexp: invalid character class range: `😀-a`')
    expect(findPatternError('[bc[-a]')).toBeUndefined()
  })

  it('takes linear time for classes', () => {
    const startTime = performance.now()
    expect(findPatternError(`[${'[:'.repeat(300_000)}x]`)).toMatch(/^error parsing regexp: expression too large: /)
    expect(performance.now() - startTime).toBeLessThan(1000)
  })
})
