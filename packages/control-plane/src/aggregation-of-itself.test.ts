import type { APIService } from '@keelson/api/apiregistration/v1'
import { expect, it } from 'vitest'
import { createServerChain } from './create-server-chain.ts'

const user = { name: 'ann', groups: ['system:masters'] }
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices'

it('never makes an APIService available whose server is this one, and answers other requests', async () => {
  await using chain = await createServerChain({ controllers: ['none'], serving: { bindAddress: '127.0.0.1', port: 0 }, log: () => {} })
  await chain.listen()
  await chain.ready
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    chain.fetch(path, { user, headers: { 'content-type': 'application/json' }, ...init })
  const service = { namespace: 'default', name: 'kubernetes', port: 443 }
  const spec = {
    group: 'a.example.com',
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
    service,
  }
  const created = await call(apiServices, { method: 'POST', body: JSON.stringify({ metadata: { name: 'v1.a.example.com' }, spec }) })
  expect(created.status).toBe(201)
  const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'
  const hasEndpoints = ((await (await call(slices)).json()) as { items: unknown[] }).items.length > 0
  const url = `${chain.url.replace(/\/$/, '')}/apis/a.example.com/v1`
  const readCondition = async (): Promise<unknown> =>
    ((await (await call(`${apiServices}/v1.a.example.com`)).json()) as APIService).status?.conditions?.[0]
  // A machine without an external address has no endpoints for the service.
  const expected = hasEndpoints
    ? { reason: 'FailedDiscoveryCheck', message: `failing or missing response from ${url}: bad status from ${url}: 503` }
    : { reason: 'EndpointsNotFound' }
  await expect.poll(readCondition, { timeout: 20_000 }).toMatchObject({ status: 'False', ...expected })
  expect((await call('/apis/a.example.com/v1/things')).status).toBe(503)
  expect((await call('/apis/apps/v1')).status).toBe(200)
})
