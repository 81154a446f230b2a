import { expect, test } from 'vitest'
import { setAuditId, newAuditId } from './audit-id.ts'
import { openTestExchange } from './exchange.fixture.ts'

test('creates unique UUIDs of version 4', () => {
  const ids = Array.from({ length: 1000 }, newAuditId)
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(new Set(ids).size).toBe(1000)
  // At each checked position, the ids contain all possible digits.
  for (const position of [0, 9, 15, 20, 24, 35]) expect(new Set(ids.map((id) => id[position])).size).toBe(16)
})

test("keeps the client's id, creates one otherwise, and returns it in the response", () => {
  const { exchange: sent } = openTestExchange('/', { headers: { 'audit-id': 'mine' } })
  setAuditId(sent)
  expect([sent.requestId, sent.commonHeaders]).toEqual(['mine', ['Audit-Id', 'mine']])
  const { exchange: empty } = openTestExchange('/', { headers: { 'audit-id': '' } })
  setAuditId(empty)
  expect(empty.requestId).toHaveLength(36)
})
