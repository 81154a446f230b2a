import type { RequestAudit } from '@keelson/exchange'
import { expect, test, vi } from 'vitest'
import { audit, describeCredentials, openAudit } from './audit.ts'
import { openTestExchange } from './exchange.fixture.ts'

test('does not exist without an auditor', () => {
  expect([openAudit(undefined), audit(undefined)]).toEqual([undefined, undefined])
})

test.each([
  ['at once', true],
  ['later', Promise.resolve(true)],
])('lets a request pass whose arrival is recorded %s', async (_, stored) => {
  const { exchange } = openTestExchange('/api/v1/pods')
  const record = { begin: () => stored } as unknown as RequestAudit
  const auditor = { open: vi.fn((opened: typeof exchange) => opened.setAudit(record)) }
  expect(openAudit(auditor)!(exchange)).toBeUndefined()
  expect(await audit(auditor)!(exchange)).toBeUndefined()
  expect(exchange.audit).toBe(record)
})

test('answers 500 if the arrival must be stored and cannot be', async () => {
  const { exchange, response } = openTestExchange('/api/v1/pods?limit=1')
  exchange.setAudit({ begin: () => Promise.resolve(false), respond: () => {}, complete: () => undefined } as unknown as RequestAudit)
  expect(await audit({ open: () => {} })!(exchange)).toBe('answered')
  const answer = await response
  const text = 'Internal Server Error: "/api/v1/pods?limit=1": failed to store audit event\n'
  expect([answer.status, await answer.text()]).toEqual([500, text])
})

test.each([
  ['/api', '', false, 'no credentials provided'],
  ['/api', 'Bearer x', false, 'attempted: bearer'],
  ['/api', 'Bearer', false, 'no credentials provided'],
  ['/api', `Basic ${btoa('a:b')}`, true, 'attempted: basic, x509'],
  ['/api', 'Basic nonsense', false, 'no credentials provided'],
  ['/api?access_token=x', 'bearer x', false, 'attempted: bearer, access_token'],
])('describes the credentials of %s with %j (certificate: %j)', (path, authorization, hasCertificate, expected) => {
  const { exchange } = openTestExchange(path, authorization === '' ? {} : { headers: { authorization } })
  expect(describeCredentials(exchange, hasCertificate)).toBe(`Authentication failed, ${expected}`)
})
