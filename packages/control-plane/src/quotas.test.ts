import { afterAll, beforeAll, expect, it } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { JsonResponse } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

let chain: ServerChain
beforeAll(async () => void (chain = await startChain()))
afterAll(() => chain.close())

function call(method: string, path: string, body?: object): Promise<JsonResponse<Record<string, unknown>>> {
  return askServer(chain, method, `/api/v1/namespaces/default/${path}`, { body })
}

it('counts created objects and rejects those above the quota', async () => {
  const hard = { configmaps: '2', 'count/secrets': '0' }
  const created = await call('POST', 'resourcequotas', { metadata: { name: 'q' }, spec: { hard } })
  expect((await call('POST', 'configmaps', { metadata: { name: 'before' } })).status).toBe(201)
  const status = { hard, used: { configmaps: '1', 'count/secrets': '0' } }
  expect((await call('PUT', 'resourcequotas/q/status', { ...created.body, status })).status).toBe(200)
  // Retries, because the informer of the admission plugin receives the quota with a delay.
  await expect.poll(async () => (await call('POST', 'secrets', { metadata: { generateName: 's' } })).status).toBe(403)

  expect((await call('POST', 'configmaps', { metadata: { name: 'a' } })).status).toBe(201)
  expect((await call('GET', 'resourcequotas/q')).body['status']).toEqual({ hard, used: { configmaps: '2', 'count/secrets': '0' } })
  const { status: code, body } = await call('POST', 'configmaps', { metadata: { name: 'b' } })
  expect([code, body['message']]).toEqual([
    403,
    'configmaps "b" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2',
  ])
})
