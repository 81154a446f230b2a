import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeFieldValue, selectEveryField, selectField, FieldSelector, parseFieldSelector } from './field-selector.ts'

describe('field selectors', () => {
  it('match values by equality', () => {
    const get = (name: string): string => ({ 'metadata.name': 'c1', 'spec.nodeName': '' })[name] ?? ''
    expect(parseFieldSelector('metadata.name=c1').matches(get)).toBe(true)
    expect(parseFieldSelector('metadata.name==c1,spec.nodeName=').matches(get)).toBe(true)
    expect(parseFieldSelector('metadata.name!=c1').matches(get)).toBe(false)
    expect(parseFieldSelector('metadata.name=c1,metadata.name=c2').matches(get)).toBe(false)
    expect(parseFieldSelector('').matches(get)).toBe(true)
  })

  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['a=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  ])('rejects %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message)
  })

  it('return the value of an exact match, and can transform their requirements', () => {
    const selector = parseFieldSelector('a=1,b!=2')
    expect(selector.requiresExactMatch('a')).toBe('1')
    expect(selector.requiresExactMatch('b')).toBeUndefined()
    expect(selector.transform((field, value) => (field === 'b' ? undefined : { field: `x.${field}`, value })).toString()).toBe('x.a=1')
    expect(selectEveryField().empty).toBe(true)
  })

  it('evaluate many requirements with the same results as single requirements', () => {
    const field = fc.constantFrom('a', 'b')
    const value = fc.constantFrom('', '1', '2', '3')
    const requirement = fc.record({ field, operator: fc.constantFrom<'=' | '!='>('!=', '!=', '!=', '='), value })
    fc.assert(
      fc.property(fc.array(requirement, { minLength: 9, maxLength: 12 }), value, value, (requirements, a, b) => {
        const get = (name: string): string => (name === 'a' ? a : b)
        const each = requirements.every(({ field, operator, value }) => (get(field) === value) === (operator === '='))
        expect(new FieldSelector(requirements).matches(get)).toBe(each)
      }),
      { numRuns: 1000 },
    )
  })

  it('property: parsing a formatted selector returns the same value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        expect(parseFieldSelector(`f=${escapeFieldValue(value)}`).requiresExactMatch('f')).toBe(value)
        expect(parseFieldSelector(selectField('f', value).toString()).requiresExactMatch('f')).toBe(value)
      }),
    )
  })
})
