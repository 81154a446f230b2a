import type { Endpoints, Service } from '@keelson/api/core/v1'
import type { EndpointSlice } from '@keelson/api/discovery/v1'
import type { ServiceCIDR } from '@keelson/api/networking/v1'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { openMemory } from '@keelson/backend-embedded'
import type { Backend } from '@keelson/storagebackend'
import { afterEach, describe, expect, test } from 'vitest'
import type { ServerChain } from '../server-chain.ts'
import { startChain } from '../start-chain.fixture.ts'
import type { ServerChainOptions } from '../options/server-chain-options.ts'

const openChains: AsyncDisposable[] = []
afterEach(async () => {
  for (const openChain of openChains.splice(0).toReversed()) await openChain[Symbol.asyncDispose]()
})

function openStore(): Backend {
  const backend = openMemory()
  openChains.push(backend)
  return backend
}

/** Starts a server on a store that stays open when the server closes. */
async function start(backend: Backend, options: ServerChainOptions = {}): Promise<ServerChain> {
  const chain = await startChain({
    storage: { backend },
    ...options,
  })
  openChains.push(chain)
  return chain
}

async function read<T extends KubeObject>({ client }: ServerChain, path: string): Promise<DeepReadonly<T> | undefined> {
  const [place = '', namespace = '', name = ''] = path.split(' ')
  const [resource = '', ...group] = place.split('.')
  return client.resource<T>({ group: group.join('.'), resource })?.get(namespace, name, { resourceVersion: '' })
}

const readSubsets = async (chain: ServerChain): Promise<unknown> =>
  (await read<Endpoints>(chain, 'endpoints default kubernetes'))?.subsets?.flatMap(({ addresses }) => addresses?.map(({ ip }) => ip))

describe('the first start creates', () => {
  test('the first start creates the kubernetes service, its range and priority classes', async () => {
    const chain = await start(openStore(), { serving: { advertiseAddress: '192.0.2.1' } })
    const port = Number(new URL(chain.url).port)
    expect(await read<ServiceCIDR>(chain, 'servicecidrs.networking.k8s.io  kubernetes')).toMatchObject({
      metadata: {
        managedFields: expect.arrayContaining([expect.objectContaining({ manager: 'kubernetes-service-cidr-controller' })]) as unknown,
      },
      spec: { cidrs: ['10.0.0.0/24'] },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: '' }] },
    })
    expect(await read<Service>(chain, 'services default kubernetes')).toMatchObject({
      metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443, targetPort: port }] },
    })
    expect(await read(chain, 'ipaddresses.networking.k8s.io  10.0.0.1')).toMatchObject({
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } },
    })
    for (const name of ['system-node-critical', 'system-cluster-critical']) {
      expect(await read(chain, `priorityclasses.scheduling.k8s.io  ${name}`)).toBeDefined()
    }
    expect(await read<EndpointSlice>(chain, 'endpointslices.discovery.k8s.io default kubernetes')).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }],
      ports: [{ name: 'https', port, protocol: 'TCP' }],
    })
  })

  test('bootstrap objects survive restarts, and get a second IP family if it is configured', async () => {
    const backend = openStore()
    const first = await start(backend)
    const oldService = await read(first, 'services default kubernetes')
    await first.close()
    const second = await start(backend, { services: { clusterIpRange: '10.0.0.0/24,fd00::/112' } })
    expect((await read(second, 'services default kubernetes'))?.metadata.uid).toBe(oldService?.metadata.uid)
    expect((await read<ServiceCIDR>(second, 'servicecidrs.networking.k8s.io  kubernetes'))?.spec?.cidrs).toEqual([
      '10.0.0.0/24',
      'fd00::/112',
    ])
    const services = second.client.resource<Service>({ group: '', resource: 'services' })!
    const created = await services.create('default', {
      metadata: { name: 'a' },
      spec: { ports: [{ port: 80 }], selector: { app: 'a' }, ipFamilyPolicy: 'RequireDualStack' },
    })
    expect(created.getObject().spec?.ipFamilies).toEqual(['IPv4', 'IPv6'])
  })
})

describe('endpoints of the kubernetes service', () => {
  test('the endpoints of the kubernetes service include all running servers on the store', async () => {
    const backend = openStore()
    const first = await start(backend, { serving: { advertiseAddress: '192.0.2.1' } })
    const second = await start(backend, { serving: { advertiseAddress: '192.0.2.2' } })
    expect(await readSubsets(first)).toEqual(['192.0.2.1', '192.0.2.2'])
    await first.close()
    expect(await readSubsets(second)).toEqual(['192.0.2.2'])
  })

  test('the endpoints of the kubernetes service have the port of the running server, not of a crashed one', async () => {
    const backend = openStore()
    await start(backend, { serving: { advertiseAddress: '192.0.2.1' } })
    const chain = await start(backend, { serving: { advertiseAddress: '192.0.2.1' } })
    const endpoints = await read<Endpoints>(chain, 'endpoints default kubernetes')
    expect(endpoints?.subsets?.[0]?.ports?.map(({ port }) => port)).toEqual([Number(new URL(chain.url).port)])
  })

  test('no endpoints of the kubernetes service are managed if endpointReconcilerType is none', async () => {
    const chain = await start(openStore(), { serving: { advertiseAddress: '192.0.2.1' }, services: { endpointReconcilerType: 'none' } })
    expect(await read(chain, 'endpoints default kubernetes')).toBeUndefined()
  })
})
