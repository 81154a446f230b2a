import { expect, test } from 'vitest'
import { newAuditId } from './audit-id.ts'

test('audit ids are random UUIDs, and no two are the same', () => {
  const ids = new Set(Array.from({ length: 1000 }, () => newAuditId()))
  expect(ids.size).toBe(1000)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  // Each other digit takes every value somewhere.
  for (const place of [0, 9, 15, 20, 24, 35]) expect(new Set([...ids].map((id) => id[place])).size).toBe(16)
})
