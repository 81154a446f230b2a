import { afterAll, beforeAll, expect, it } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { JsonResponse } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

let chain: ServerChain
beforeAll(async () => void (chain = await startChain({ services: { clusterIpRange: '10.0.0.0/16' } })))
afterAll(() => chain.close())

function call(method: string, path: string, body?: object): Promise<JsonResponse<Record<string, never>>> {
  return askServer(chain, method, `/api/v1/namespaces/default/${path}`, { body })
}

it('exports an object without its namespace, unless exact=true', async () => {
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

it('removes addresses and ports of a service unless exact', async () => {
  const created = await call('POST', 'services', { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } })
  const { spec } = (await call('GET', 'services/s?export=true')).body as unknown as { spec: Record<string, unknown> }
  expect(spec).not.toHaveProperty('clusterIP')
  expect(spec['ports']).toEqual([{ protocol: 'TCP', port: 80, targetPort: 80 }])
  expect((await call('GET', 'services/s?export=true&exact=true')).body['spec']).toEqual(created.body['spec'])
  const serviceCopy = { ...(await call('GET', 'services/s?export=true')).body, metadata: { name: 'again' } }
  expect((await call('POST', 'services', serviceCopy)).status).toBe(201)
})

it('rejects objects that are tied to the cluster', async () => {
  await call('POST', 'serviceaccounts', { metadata: { name: 'sa' } })
  const annotations = { 'kubernetes.io/service-account.name': 'sa' }
  await call('POST', 'secrets', { metadata: { name: 't', annotations }, type: 'kubernetes.io/service-account-token' })
  expect(await call('GET', 'secrets/t?export=true')).toMatchObject({ status: 422, body: { reason: 'Invalid' } })
  expect((await call('GET', 'secrets/t?export=true&exact=true')).status).toBe(200)
})
