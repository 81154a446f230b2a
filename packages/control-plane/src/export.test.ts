import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

let chain: ServerChain
beforeAll(async () => {
  chain = await createServerChain({ controllers: ['none'], serviceClusterIpRange: '10.0.0.0/16' })
  await chain.listen()
  await chain.ready
})
afterAll(() => chain.close())

async function call(method: string, path: string, body?: object): Promise<{ status: number; body: Record<string, never> }> {
  const sent = request(`${chain.url}/api/v1/namespaces/default/${path}`, {
    method,
    ca: chain.certificateAuthority,
    headers: { authorization: `Bearer ${chain.adminToken}`, 'content-type': 'application/json' },
    agent: false,
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  return { status: answer.statusCode!, body: JSON.parse(text) as Record<string, never> }
}

it('an exported object can be created anew, under its own name elsewhere or, exactly, in its own place', async () => {
  const labels = { a: 'b' }
  await call('POST', 'configmaps', { metadata: { name: 'm', labels }, data: { x: 'y' } })
  const exported = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'm', labels }, data: { x: 'y' } }
  expect((await call('GET', 'configmaps/m?export=true')).body).toEqual(exported)
  expect((await call('GET', 'configmaps/m?export=true&exact=true')).body).toEqual({
    ...exported,
    metadata: { ...exported.metadata, namespace: 'default' },
  })
  expect((await call('GET', 'configmaps/m?export=false')).body['metadata']).toHaveProperty('uid')
  expect((await call('GET', 'configmaps/none?export=true')).status).toBe(404)
})

it('a service gives up its addresses and ports, but not when it is to be the same', async () => {
  const made = await call('POST', 'services', { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } })
  const { spec } = (await call('GET', 'services/s?export=true')).body as unknown as { spec: Record<string, unknown> }
  expect(spec).not.toHaveProperty('clusterIP')
  expect(spec['ports']).toEqual([{ protocol: 'TCP', port: 80, targetPort: 80 }])
  expect((await call('GET', 'services/s?export=true&exact=true')).body['spec']).toEqual(made.body['spec'])
  const again = { ...(await call('GET', 'services/s?export=true')).body, metadata: { name: 'again' } }
  expect((await call('POST', 'services', again)).status).toBe(201)
})

it('what is tied to this cluster is refused', async () => {
  await call('POST', 'serviceaccounts', { metadata: { name: 'sa' } })
  const annotations = { 'kubernetes.io/service-account.name': 'sa' }
  await call('POST', 'secrets', { metadata: { name: 't', annotations }, type: 'kubernetes.io/service-account-token' })
  expect(await call('GET', 'secrets/t?export=true')).toMatchObject({ status: 422, body: { reason: 'Invalid' } })
  expect((await call('GET', 'secrets/t?export=true&exact=true')).status).toBe(200)
})
