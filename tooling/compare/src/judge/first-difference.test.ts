import type { JsonValue } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { findFirstDifference } from './first-difference.ts'

const answer = (code: number, body: JsonValue, more: { type?: string; warning?: string } = {}) => ({
  code,
  type: 'application/json',
  body,
  ...more,
})
const createInvalid = (...fields: string[]) =>
  answer(422, { reason: 'Invalid', details: { causes: fields.map((field) => ({ field, message: 'Required value' })) } })

describe('firstDifference', () => {
  it('returns undefined for equal responses', () => {
    expect(findFirstDifference(answer(200, { a: [1, { b: null }] }), answer(200, { a: [1, { b: null }] }))).toBeUndefined()
  })

  it.each([
    ['code 201/422 spec.containers[*].name', answer(201, {}), createInvalid('spec.containers[1].name')],
    ['content type', answer(200, {}), answer(200, {}, { type: 'text/plain' })],
    ['warning', answer(200, {}, { warning: '299 - "a"' }), answer(200, {})],
    ['cause spec.b', createInvalid('spec.a', 'spec.b'), createInvalid('spec.a')],
    ['cause spec.a[*]', createInvalid('spec.b'), createInvalid('spec.a[0]', 'spec.b')],
    ['body.spec.ports[*].port', answer(200, { spec: { ports: [{ port: 1 }] } }), answer(200, { spec: { ports: [{ port: 2 }] } })],
    ['body.spec.ports[*]', answer(200, { spec: { ports: [1] } }), answer(200, { spec: { ports: [1, 2] } })],
    ['body.a', answer(200, { a: {} }), answer(200, {})],
    ['body.a', answer(200, { a: [] }), answer(200, { a: {} })],
  ])('finds the first difference in %s', (where, want, got) => {
    expect(findFirstDifference(want, got)?.where).toBe(where)
  })

  it('shortens long texts to the part around the first difference', () => {
    const text = 'x'.repeat(5000)
    const difference = findFirstDifference(answer(200, `${text}a`), answer(200, `${text}b`))
    expect(difference?.want).toMatch(/^…x{100}a$/)
    expect(difference?.got).toMatch(/^…x{100}b$/)
  })
})
