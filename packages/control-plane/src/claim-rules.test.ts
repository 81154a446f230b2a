import { createStaticTokens } from '@keelson/auth'
import type { Authorizer } from '@keelson/auth'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { JsonResponse } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

/** Permissions of the driver's service account, each written as "verb subresource namespace name". */
const allowed = new Set<string>()
const authorizer: Authorizer = {
  authorize({ action: { verb, resource, subresource, name, namespace } }) {
    const isListed = allowed.has([verb, subresource, name, namespace].join(' '))
    const isRequest = resource === 'resourceclaims' && (subresource === 'status' || subresource === '')
    return { decision: isRequest || isListed ? 'allow' : 'noOpinion', reason: 'not listed' }
  },
}
const user = {
  name: 'system:serviceaccount:default:driver',
  groups: [],
  extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
}

let chain: ServerChain
beforeAll(async () => {
  chain = await startChain({ authorizers: [authorizer], authentication: { tokens: [createStaticTokens([['driver', user]])] } })
  const labels = { 'resource.kubernetes.io/admin-access': 'true' }
  await askServer(chain, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'admins', labels } } })
})
afterAll(() => chain.close())

function call(
  method: string,
  namespace: string,
  path: string,
  body?: object,
  token?: string,
): Promise<JsonResponse<Record<string, unknown>>> {
  return askServer(chain, method, `/apis/resource.k8s.io/v1/namespaces/${namespace}/${path}`, { body, token })
}

const request = (adminAccess: boolean): object => ({ name: 'r', exactly: { deviceClassName: 'c', ...(adminAccess && { adminAccess }) } })
const createSpec = (adminAccess = true): object => ({ devices: { requests: [request(false), { ...request(adminAccess), name: 's' }] } })
const createInvalidAnswer = (field: string): object => ({
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
  const newClaim = { metadata: { name: 'a' }, spec: createSpec() }
  expect(await call('POST', 'default', 'resourceclaims', newClaim)).toMatchObject(
    createInvalidAnswer('spec.devices.requests[1].adminAccess'),
  )
  expect((await call('POST', 'admins', 'resourceclaims', newClaim)).status).toBe(201)
  const template = { metadata: { name: 'a' }, spec: { spec: createSpec() } }
  expect(await call('POST', 'default', 'resourceclaimtemplates', template)).toMatchObject(
    createInvalidAnswer('spec.devices.requests[1].adminAccess'),
  )
  expect((await call('POST', 'admins', 'resourceclaimtemplates', template)).status).toBe(201)
})

it('allocates devices with admin access only to claims in labelled namespaces', async () => {
  const result = { request: 'r', driver: 'd.example.com', pool: 'p', device: 'x', adminAccess: true }
  const status = { allocation: { devices: { results: [result] } } }
  for (const [namespace, expected] of Object.entries({
    default: createInvalidAnswer('status.allocation.devices.results[0].adminAccess'),
    admins: { status: 200 },
  })) {
    const { body } = await call('POST', namespace, 'resourceclaims', { metadata: { name: 'given' }, spec: createSpec(false) })
    expect(await call('PUT', namespace, 'resourceclaims/given/status', { ...body, status })).toMatchObject(expected)
  }
  expect((await call('GET', 'admins', 'resourceclaims/given/status')).body).toMatchObject({ kind: 'ResourceClaim', status })
})

it('requires permissions on resourceclaims/binding and resourceclaims/driver for status updates', async () => {
  const { body } = await call('POST', 'default', 'resourceclaims', { metadata: { name: 'shared' }, spec: createSpec(false) })
  const device = { driver: 'd.example.com', pool: 'p', device: 'x' }
  const nodeSelector = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }] }
  const allocation = { devices: { results: [{ request: 'r', ...device }] }, nodeSelector }
  const putStatus = async (status: object): Promise<unknown> => {
    const answer = await call('PUT', 'default', 'resourceclaims/shared/status', { ...body, metadata: { name: 'shared' }, status }, 'driver')
    return answer.status === 200 ? 200 : (answer.body as { details: { causes: readonly unknown[] } }).details.causes
  }
  const formatForbidden = (verb: string, subresource: string, subject: string, place: string): string =>
    `${subject} is forbidden: User "system:serviceaccount:default:driver" cannot ${verb} resource "resourceclaims/${subresource}" in API group "resource.k8s.io" ${place}: not listed`

  expect(await putStatus({ allocation })).toEqual([
    {
      reason: 'FieldValueForbidden',
      field: 'status.allocation',
      message: `Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission: ${formatForbidden('update', 'binding', 'resourceclaims.resource.k8s.io', 'at the cluster scope')}`,
    },
  ])
  allowed.add('update binding  ')
  expect(await putStatus({ allocation })).toBe(200)

  const devices = [{ ...device, data: { ready: true } }]
  expect(await putStatus({ allocation, devices })).toEqual([
    {
      reason: 'FieldValueForbidden',
      field: 'status.devices',
      message: `Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[associated-node:update arbitrary-node:update]" permission: ${formatForbidden('associated-node:update', 'driver', 'resourceclaims.resource.k8s.io "d.example.com"', 'in the namespace "default"')}`,
    },
  ])
  allowed.add('associated-node:update driver d.example.com default')
  expect(await putStatus({ allocation, devices })).toBe(200)
  allowed.clear()
  expect(await putStatus({ allocation, devices })).toBe(200)
})
