import { expect, it } from 'vitest'
import { findUuidFormatError } from './names.ts'

const uuid = '0b9eBf2e-7d1b-4f3c-9a42-6c1b1f0e5d77'

it.each([uuid, `{${uuid}}`, `URN:uuid:${uuid}`, uuid.replaceAll('-', '')])('accepts %s', (text) => {
  expect(findUuidFormatError(text)).toBeUndefined()
})

it.each([
  ['x', 'invalid UUID length: 1'],
  ['é', 'invalid UUID length: 2'],
  [uuid.replace('-', 'a'), 'invalid UUID format'],
  [`(${uuid})`, 'invalid bracketed UUID format'],
  [`urn:uuix:${uuid}`, 'invalid urn prefix: "urn:uuix:"'],
  ['x'.repeat(32), 'invalid UUID format'],
])('rejects %s: %s', (text, reason) => {
  expect(findUuidFormatError(text)).toBe(reason)
})
