import { sendBytes } from '@keelson/exchange'
import { expect, test } from 'vitest'
import { openTestExchange } from './exchange.fixture.ts'
import { logRequest } from './request-log.ts'
import type { RequestRecord } from './request-log.ts'

test('records the requestor, the impersonated user and the status', async () => {
  const records: RequestRecord[] = []
  const { exchange, response } = openTestExchange('/version?a', { headers: { 'user-agent': 'tester' } })
  await logRequest((record) => records.push(record))!(exchange)
  exchange.requestId = 'id'
  exchange.logFields!['apf_pl'] = 'exempt'
  exchange.requestor = { name: 'alice', groups: [] }
  exchange.user = { name: 'bob', groups: [] }
  sendBytes(exchange, 204, {}, '')
  await response
  await expect.poll(() => records).toHaveLength(1)
  expect(records[0]).toMatchObject({
    verb: 'GET',
    URI: '/version?a',
    userAgent: 'tester',
    'audit-ID': 'id',
    user: 'alice',
    impersonatedUser: 'bob',
    apf_pl: 'exempt',
    resp: 204,
  })
})
