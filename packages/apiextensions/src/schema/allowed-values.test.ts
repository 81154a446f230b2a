import type { JsonValue } from '@keelson/apimachinery'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AllowedValues } from './allowed-values.ts'

const toJsonValue = (value: bigint): JsonValue => value as unknown as JsonValue
const scalar = fc.oneof(
  fc.constantFrom<JsonValue>('a', '1', '\u0001', '\ufffd', 0, 1, -1, 1.5, 97, 1e300, 2 ** 53, true, false, null),
  fc.constantFrom(toJsonValue(2n ** 53n), toJsonValue(2n ** 53n + 1n), toJsonValue(2n ** 70n)),
)
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.dictionary(fc.constantFrom('a', 'b'), scalar, { maxKeys: 2 }))
/** More values than an enum without an index has. None of them equals a tested value. */
const fillers = Array.from({ length: 100 }, (_, n) => `filler-${n}`)

describe('the values of an enum', () => {
  it('the index finds the same values as a comparison one by one', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), value, (allowed, tested) => {
        const few = new AllowedValues(allowed)
        const many = new AllowedValues([...fillers, ...allowed])
        expect(few.isIndexed).toBe(true)
        expect(many.isIndexed).toBe(false)
        expect(many.has(tested)).toBe(few.has(tested))
      }),
    )
  })

  it('the index is built in parts', () => {
    const allowed = new AllowedValues(Array.from({ length: 20_000 }, (_, n) => n))
    let parts = 0
    for (; !allowed.isIndexed; parts++) allowed.indexMore()
    expect(parts).toBeGreaterThan(2)
    expect([allowed.has(19_999), allowed.has(20_000)]).toEqual([true, false])
  })

  it('texts are those of kube-apiserver', () => {
    expect(new AllowedValues(['a', 1, { b: 1, a: [] }]).texts).toEqual(['a', '1', '{"a":[],"b":1}'])
  })
})
