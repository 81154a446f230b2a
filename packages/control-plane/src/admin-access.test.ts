import { afterAll, beforeAll, expect, it } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { JsonResponse } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

let chain: ServerChain
beforeAll(async () => {
  chain = await startChain()
  const labels = { 'resource.kubernetes.io/admin-access': 'true' }
  await askServer(chain, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'admins', labels } } })
})
afterAll(() => chain.close())

function call(method: string, namespace: string, path: string, body?: object): Promise<JsonResponse<Record<string, unknown>>> {
  return askServer(chain, method, `/apis/resource.k8s.io/v1/namespaces/${namespace}/${path}`, { body })
}

const request = (adminAccess: boolean): object => ({ name: 'r', exactly: { deviceClassName: 'c', ...(adminAccess && { adminAccess }) } })
const spec = (adminAccess = true): object => ({ devices: { requests: [request(false), { ...request(adminAccess), name: 's' }] } })
const refused = (field: string): object => ({
  status: 422,
  body: {
    details: {
      causes: [
        {
          field,
          message:
            'Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
        },
      ],
    },
  },
})

it('allows admin access to devices only from labelled namespaces', async () => {
  const made = { metadata: { name: 'a' }, spec: spec() }
  expect(await call('POST', 'default', 'resourceclaims', made)).toMatchObject(refused('spec.devices.requests[1].adminAccess'))
  expect((await call('POST', 'admins', 'resourceclaims', made)).status).toBe(201)
  const template = { metadata: { name: 'a' }, spec: { spec: spec() } }
  expect(await call('POST', 'default', 'resourceclaimtemplates', template)).toMatchObject(refused('spec.devices.requests[1].adminAccess'))
  expect((await call('POST', 'admins', 'resourceclaimtemplates', template)).status).toBe(201)
})

it('allocates devices with admin access only to claims there', async () => {
  const result = { request: 'r', driver: 'd.example.com', pool: 'p', device: 'x', adminAccess: true }
  const status = { allocation: { devices: { results: [result] } } }
  for (const [namespace, expected] of Object.entries({
    default: refused('status.allocation.devices.results[0].adminAccess'),
    admins: { status: 200 },
  })) {
    const { body } = await call('POST', namespace, 'resourceclaims', { metadata: { name: 'given' }, spec: spec(false) })
    expect(await call('PUT', namespace, 'resourceclaims/given/status', { ...body, status })).toMatchObject(expected)
  }
  expect((await call('GET', 'admins', 'resourceclaims/given/status')).body).toMatchObject({ kind: 'ResourceClaim', status })
})
