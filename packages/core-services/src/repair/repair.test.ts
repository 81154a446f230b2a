import type { Service, ServiceSpec } from '@keelson/api/core/v1'
import type { IPAddress } from '@keelson/api/networking/v1'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { LoopbackResource } from '@keelson/loopback'
import { getPlainObject, testContext } from '@keelson/registry/testing'
import { services } from '@keelson/resources-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openServices } from '../services.fixture.ts'
import type { TestServices } from '../services.fixture.ts'
import { ServiceRepair } from './service-repair.ts'

const context = testContext('ns')
const clock = createManualClock()
let test: TestServices
let repair: ServiceRepair
let reports: string[]

beforeEach(async () => {
  test = await openServices({ now: () => clock.now() })
  reports = []
  const { allocators, client } = test
  repair = new ServiceRepair({ allocators, client, clock, report: (text) => reports.push(text), intervalMs: 180_000 })
})
afterEach(async () => {
  await repair[Symbol.asyncDispose]()
  await test[Symbol.asyncDispose]()
})

async function create(name: string, spec: ServiceSpec = {}): Promise<ServiceSpec> {
  const service: Service = { metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }], ...spec } }
  services.setDefaults?.(service)
  return (getPlainObject(await test.store.create(context, service, { dryRun: false })) as Service).spec!
}

const findAddressResource = (): LoopbackResource<IPAddress> =>
  test.client.resource<IPAddress>({ group: 'networking.k8s.io', resource: 'ipaddresses' })!
const getAddress = (ip: string): Promise<unknown> => findAddressResource().get('', ip, { resourceVersion: '' })
/** Waits until the cache that the repair loop reads has seen the address. */
async function waitUntilCached(ip: string, exists = true): Promise<void> {
  await expect.poll(() => test.allocators.addresses.get(ip) !== undefined).toBe(exists)
}
const listAllocatedPorts = async (): Promise<number[]> =>
  [...(await test.allocators.ports.registry.read()).bitmap].map((offset) => 30_000 + offset)

/** Allocates values without writing the service, like a server that is killed after the allocation. */
async function simulateCrash(name: string): Promise<{ ip: string; port: number }> {
  const ip = await test.allocators.ips.get('IPv4')!.takeAny({ namespace: 'ns', name })
  const port = await test.allocators.ports.takeAny()
  return { ip: ip!, port: port! }
}

describe('the repair loop', () => {
  it('releases leaked values, but not before the longest possible request has ended', async () => {
    const keptService = await create('kept')
    const { ip, port } = await simulateCrash('lost')
    await waitUntilCached(ip)
    await repair.start()
    expect(await getAddress(ip)).toBeDefined()
    await clock.pass(61_000)
    expect(await getAddress(ip)).toBeUndefined()
    expect(await getAddress(keptService.clusterIP!)).toBeDefined()

    expect(await listAllocatedPorts()).toContain(port)
    await clock.pass(3 * 180_000)
    expect(await listAllocatedPorts()).toEqual([keptService.ports![0]!.nodePort])
    expect(reports).toEqual([
      `the address ${ip} belongs to no service and appears to have leaked; cleaning up`,
      `the node port ${port} appears to have leaked; cleaning up`,
    ])
  })

  it('restores missing allocations of services', async () => {
    const service = await create('a')
    const { clusterIP = '' } = service
    await waitUntilCached(clusterIP)
    await findAddressResource().delete('', clusterIP)
    await waitUntilCached(clusterIP, false)
    await test.allocators.ports.release([service.ports![0]!.nodePort!])
    await repair.start()
    expect(await getAddress(clusterIP)).toMatchObject({ spec: { parentRef: { name: 'a' } } })
    expect(await listAllocatedPorts()).toEqual([service.ports![0]!.nodePort])
    expect(reports).toHaveLength(2)
    await expect(create('b', { clusterIP })).rejects.toThrow('provided IP is already allocated')
  })

  it('restores missing labels of an IPAddress', async () => {
    const { clusterIP = '' } = await create('a')
    await waitUntilCached(clusterIP)
    await findAddressResource().update('', clusterIP, (object) => ({ ...object, metadata: { ...object.metadata, labels: {} } }))
    await expect.poll(() => [...test.allocators.addresses.list()]).toEqual([])
    await repair.start()
    expect(await getAddress(clusterIP)).toMatchObject({ metadata: { labels: { 'ipaddress.kubernetes.io/ip-family': 'IPv4' } } })
  })

  it('rebuilds the allocation after a change of the port range', async () => {
    const { ports: [port] = [] } = await create('a')
    await using other = await openServices({ backend: test.backend, nodePortRange: '30000-40000' })
    const newService: Service = { metadata: { name: 'b' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }
    await expect(other.store.create(context, newService, { dryRun: false })).rejects.toThrow(
      'Internal error occurred: failed to allocate a nodePort: the provided range does not match the current range',
    )
    const { allocators, client } = other
    await using second = new ServiceRepair({ allocators, client, clock, report: (text) => reports.push(text) })
    await second.start()
    expect(await allocators.ports.isTaken(port!.nodePort!)).toBe(true)
    expect(await allocators.ports.takeAny()).toBeGreaterThanOrEqual(30_000)
    expect(reports).toEqual([])
  })

  it('ignores addresses with another manager', async () => {
    const parentRef = { group: 'gateway.example.com', resource: 'gateways', name: 'g' }
    await findAddressResource().create('', { metadata: { name: '10.0.0.200' }, spec: { parentRef } })
    await repair.start()
    await clock.pass(200_000)
    expect(await getAddress('10.0.0.200')).toBeDefined()
    expect(reports).toEqual([])
  })
})
