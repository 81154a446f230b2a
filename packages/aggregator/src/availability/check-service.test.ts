import type { LoopbackClient } from '@keelson/loopback'
import { expect, it } from 'vitest'
import { TestIndex, TestServers } from '../api-services.fixture.ts'
import type { TestResponder } from '../api-services.fixture.ts'
import type { ServiceCheck } from './availability-controller.ts'
import { createServiceCheck } from './check-service.ts'

interface Objects {
  readonly service?: object | Error
  readonly slices?: readonly object[] | Error
}

const clusterService = { type: 'ClusterIP', ports: [{ name: 'https', port: 443 }] }
const externalService = { type: 'ExternalName', externalName: 'api.example.com' }
const readySlice = { endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ name: 'https', port: 8443 }] }
const url = 'https://10.0.0.1:443/apis/a.example.com/v1'

function createClient({ service, slices = [] }: Objects): LoopbackClient {
  const throwOrReturn = <T>(value: T | Error): T => {
    if (value instanceof Error) throw value
    return value
  }
  const services = { get: async () => throwOrReturn(service) && { metadata: {}, spec: service } }
  const endpointSlices = { list: async () => ({ items: throwOrReturn(slices) }) }
  return {
    resource: ({ resource }: { readonly resource: string }) => (resource === 'services' ? services : endpointSlices),
  } as unknown as LoopbackClient
}

async function check(objects: Objects, servers = new TestServers(() => ({}))): Promise<ServiceCheck> {
  const index = new TestIndex()
  index.set('v1.a.example.com')
  const resolver = { resolve: () => ({ host: '10.0.0.1', port: 443 }) }
  const checkService = createServiceCheck({ client: createClient(objects), resolver, findClient: servers.findClient })
  return await checkService(index.get('v1.a.example.com')!)
}

it.each<[string, Objects, object]>([
  ['a missing service', {}, { status: 'False', reason: 'ServiceNotFound', message: 'service/api in "default" is not present' }],
  [
    'a service that cannot be read',
    { service: new Error('closed') },
    { status: 'Unknown', reason: 'ServiceAccessError', message: 'service/api in "default" cannot be checked due to: closed' },
  ],
  [
    'a service without the port',
    { service: { ports: [{ port: 80 }] } },
    { status: 'False', reason: 'ServicePortError', message: 'service/api in "default" is not listening on port 443' },
  ],
  [
    'endpoint slices that cannot be read',
    { service: clusterService, slices: new Error('closed') },
    { status: 'Unknown', reason: 'EndpointsAccessError', message: 'service/api in "default" cannot be checked due to: closed' },
  ],
  [
    'a service without endpoint slices',
    { service: clusterService },
    { status: 'False', reason: 'EndpointsNotFound', message: 'cannot find endpointslices for service/api in "default"' },
  ],
  [
    'a service without ready endpoints',
    {
      service: clusterService,
      slices: [
        { ...readySlice, endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }] },
        { ...readySlice, ports: [{ name: 'other', port: 1 }] },
        { ...readySlice, ports: [{ name: 'https' }] },
      ],
    },
    {
      status: 'False',
      reason: 'MissingEndpoints',
      message: 'endpointslices for service/api in "default" have no addresses with port name "https"',
    },
  ],
])('does not send requests to %s', async (_name, objects, availability) => {
  const servers = new TestServers(() => ({}))
  expect(await check(objects, servers)).toEqual({ availability, isRepeated: false })
  expect(servers.requests).toEqual([])
})

it.each<[string, Objects]>([
  ['with a ready endpoint', { service: clusterService, slices: [{ ...readySlice, endpoints: [] }, readySlice] }],
  ['of another type, whose endpoints are not checked', { service: externalService }],
])('sends five requests to a service %s', async (_name, objects) => {
  const servers = new TestServers(() => ({}))
  const availability = { status: 'True', reason: 'Passed', message: 'all checks passed' }
  expect(await check(objects, servers)).toEqual({ availability, isRepeated: false })
  expect(servers.requests.length).toBe(5)
  for (const { path, headers, timeoutMs } of servers.requests) {
    expect([path, timeoutMs]).toEqual(['/apis/a.example.com/v1', 5000])
    expect(headers).toEqual({ 'X-Remote-User': 'system:kube-aggregator', 'X-Remote-Group': 'system:masters' })
  }
})

it('needs one success only, and does not wait for the other requests', async () => {
  let count = 0
  const servers = new TestServers(() => {
    count++
    return count === 4 ? { status: 204 } : count === 5 ? new Promise<never>(() => {}) : { status: 500 }
  })
  expect((await check({ service: externalService }, servers)).availability.status).toBe('True')
})

it.each<[string, TestResponder, string]>([
  ['a bad status', () => ({ status: 404 }), `bad status from ${url}: 404`],
  ['a redirect', () => ({ status: 302 }), `bad status from ${url}: 302`],
  ['no answer', () => new Error(`Get "${url}": EOF`), `Get "${url}": EOF`],
])('reports %s, and asks for another check', async (_name, respond, problem) => {
  const message = `failing or missing response from ${url}: ${problem}`
  expect(await check({ service: externalService }, new TestServers(respond))).toEqual({
    availability: { status: 'False', reason: 'FailedDiscoveryCheck', message },
    isRepeated: true,
  })
})

it('accepts a response that is larger than the part that it reads', async () => {
  const tooLarge = Object.assign(new Error('the answer is larger than 65536 bytes'), { kind: 'tooLarge' })
  expect((await check({ service: externalService }, new TestServers(() => tooLarge))).availability.status).toBe('True')
})
