import type { Service, ServiceSpec } from '@keelson/api/core/v1'
import { getPlainObject, put, testContext } from '@keelson/registry/testing'
import { services } from '@keelson/resources-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openServices } from '../services.fixture.ts'
import type { TestServices, TestServicesOptions } from '../services.fixture.ts'

const context = testContext('ns')
// Always picks offset 0, because random values in such a small range would collide with those that tests request.
const small: TestServicesOptions = { clusterIPRange: '10.0.0.0/28', nodePortRange: '30000-30003', random: () => 0 }
const dual: TestServicesOptions = { clusterIPRange: '10.0.0.0/24,fd00::/112' }

/** Builds a service with defaults, like a request. */
function createService(name: string, spec: ServiceSpec = {}): Service {
  const object: Service = { metadata: { name }, spec: { ports: [{ port: 80 }], selector: { app: 'a' }, ...spec } }
  services.setDefaults?.(object)
  return object
}

let test: TestServices
beforeEach(async () => void (test = await openServices(small)))
afterEach(() => test[Symbol.asyncDispose]())

const create = async (name: string, spec: ServiceSpec = {}, dryRun = false, within = test): Promise<ServiceSpec> =>
  (getPlainObject(await within.store.create(context, createService(name, spec), { dryRun })) as Service).spec!
const update = async (name: string, spec: ServiceSpec, dryRun = false, within = test): Promise<ServiceSpec> =>
  (getPlainObject((await within.store.update(context, name, { change: put(createService(name, spec)), dryRun })).object) as Service).spec!
const remove = (name: string, dryRun = false): Promise<unknown> => test.store.delete(context, name, { options: {}, dryRun })
const alreadyAllocated = { message: expect.stringContaining('provided IP is already allocated') as unknown }
const portTaken = { message: expect.stringContaining('provided port is already allocated') as unknown }

describe('cluster addresses', () => {
  it('cluster addresses are allocated, kept on updates and reused after a delete', async () => {
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = await create('a')
    expect(clusterIP).toMatch(/^10\.0\.0\.([1-9]|1[0-4])$/)
    expect({ clusterIPs, ipFamilies, ipFamilyPolicy }).toEqual({
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    })
    expect((await update('a', { ports: [{ port: 81 }] })).clusterIP).toBe(clusterIP)
    await expect(create('b', { clusterIP: clusterIP! })).rejects.toMatchObject({
      code: 422,
      message: `Service "b" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: provided IP is already allocated`,
    })
    await remove('a', true)
    await expect(create('b', { clusterIP: clusterIP! })).rejects.toMatchObject(alreadyAllocated)
    await remove('a')
    expect((await create('b', { clusterIP: clusterIP! })).clusterIP).toBe(clusterIP)
  })

  it('concurrent requests get unique cluster addresses until the range is full', async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => create(`s${i}`)))
    const ips = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value.clusterIP] : []))
    expect(ips).toHaveLength(14)
    expect(new Set(ips).size).toBe(14)
    expect(results.filter((one) => one.status === 'rejected').map(({ reason }) => (reason as Error).message)).toEqual(
      Array.from({ length: 6 }, () =>
        expect.stringMatching(/^Internal error occurred: failed to allocate a serviceIP for Service "s\d+": range is full$/),
      ),
    )
  })

  it('cluster addresses are released if the service is rejected', async () => {
    await expect(create('a', { clusterIP: '10.0.0.5', sessionAffinity: 'Often' })).rejects.toMatchObject({ code: 422 })
    await create('b', { clusterIP: '10.0.0.5' })
    await expect(create('b', { clusterIP: '10.0.0.6' })).rejects.toMatchObject({ reason: 'AlreadyExists' })
    await create('c', { clusterIP: '10.0.0.6' })
  })

  it('are placeholders in a dry run', async () => {
    expect((await create('a', {}, true)).clusterIP).toBe('10.0.0.0')
    expect((await create('a', { clusterIP: '10.0.0.9' }, true)).clusterIP).toBe('10.0.0.9')
    await expect(create('a', { clusterIP: '10.1.0.9' }, true)).rejects.toMatchObject({ code: 422 })
    await create('b', { clusterIP: '10.0.0.9' })
  })

  it('a server rejects addresses and ports that another server on the store has allocated', async () => {
    await create('a', { clusterIP: '10.0.0.7', type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] })
    await using second = await openServices({ ...small, backend: test.backend })
    await expect(create('b', { clusterIP: '10.0.0.7' }, false, second)).rejects.toMatchObject(alreadyAllocated)
    await expect(create('b', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] }, false, second)).rejects.toMatchObject(portTaken)
    await second.store.delete(context, 'a', { options: {}, dryRun: false })
    await create('b', { clusterIP: '10.0.0.7' }, false, second)
  })

  it('a change of the service type allocates or releases cluster addresses', async () => {
    await create('a', { clusterIP: '10.0.0.7' })
    const stored = getPlainObject(await test.store.get(context, 'a', {})) as Service
    stored.spec = { ...stored.spec, type: 'ExternalName', externalName: 'x.y' }
    const name = getPlainObject((await test.store.update(context, 'a', { change: put(stored), dryRun: false })).object) as Service
    expect(name.spec).toEqual({
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      selector: { app: 'a' },
      type: 'ExternalName',
      sessionAffinity: 'None',
      externalName: 'x.y',
    })
    await create('b', { clusterIP: '10.0.0.7' })
    await expect(update('a', { clusterIP: '10.0.0.7' })).rejects.toMatchObject(alreadyAllocated)
    expect((await update('a', {})).clusterIP).toMatch(/^10\.0\.0\.\d+$/)
  })

  it('cluster addresses are immutable', async () => {
    await create('a', { clusterIP: '10.0.0.7' })
    await expect(update('a', { clusterIP: '10.0.0.8', clusterIPs: ['10.0.0.8'] })).rejects.toMatchObject({
      message: 'Service "a" is invalid: spec.clusterIPs[0]: Invalid value: ["10.0.0.8"]: may not change once set',
    })
  })

  it('headless services get no cluster addresses', async () => {
    expect(await create('a', { clusterIP: 'None' })).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    })
    expect(await create('b', { clusterIP: 'None', selector: {} })).toMatchObject({
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    })
  })

  it('cluster addresses are released when the last finalizer is removed', async () => {
    const oldService = createService('a', { clusterIP: '10.0.0.7' })
    oldService.metadata.finalizers = ['example.com/hold']
    await test.store.create(context, oldService, { dryRun: false })
    await remove('a')
    await expect(create('b', { clusterIP: '10.0.0.7' })).rejects.toMatchObject(alreadyAllocated)
    await update('a', { clusterIP: '10.0.0.7' })
    await create('b', { clusterIP: '10.0.0.7' })
  })

  it('a write of the status that creates a service allocates no cluster addresses', async () => {
    const status = test.store.subresource(services.subresources!['status']!)
    const oldService = createService('a', { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'] })
    oldService.status = { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } }
    expect(await status.update(context, 'a', { change: put(oldService), dryRun: false })).toMatchObject({ created: true })
    const { object } = await status.update(context, 'b', { change: put(createService('b')), dryRun: false })
    expect(getPlainObject(object)).toMatchObject({ spec: { type: 'ClusterIP' }, status: { loadBalancer: {} } })
    expect((getPlainObject(object) as Service).spec).not.toHaveProperty('clusterIP')
    await create('c', { clusterIP: '10.0.0.7' })
    await remove('b')
  })
})

describe('IP families', () => {
  it.each([
    [
      { ipFamilyPolicy: 'RequireDualStack' },
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
    [{ ipFamilies: ['IPv6'] }, 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    [{ clusterIP: 'fd00::1' }, 'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster'],
    [
      { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4', 'IPv6'] },
      "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    ],
    [
      { clusterIP: '10.1.0.1' },
      'spec.clusterIPs: Invalid value: ["10.1.0.1"]: failed to allocate IP 10.1.0.1: the provided network does not match the current range',
    ],
  ] as const)('%j cannot be had', async (spec, message) => {
    await expect(create('a', structuredClone(spec) as ServiceSpec)).rejects.toMatchObject({
      code: 422,
      message: `Service "a" is invalid: ${message}`,
    })
  })

  it('a service can change to dual-stack and back', async () => {
    await using dualStackServices = await openServices(dual)
    expect(await create('p', {}, false, dualStackServices)).toMatchObject({ ipFamilies: ['IPv4'] })
    const { clusterIPs = [] } = await create('a', { ipFamilyPolicy: 'PreferDualStack' }, false, dualStackServices)
    expect(clusterIPs).toEqual([expect.stringMatching(/^10\.0\.0\./), expect.stringMatching(/^fd00::/)])
    const reduced = { clusterIP: clusterIPs[0]!, clusterIPs: [clusterIPs[0]!], ipFamilyPolicy: 'PreferDualStack' }
    await expect(update('a', reduced, false, dualStackServices)).rejects.toMatchObject({ code: 422 })
    const single = await update('a', { ipFamilyPolicy: 'SingleStack' }, false, dualStackServices)
    expect(single).toMatchObject({ clusterIPs: [clusterIPs[0]] })
    expect(await create('b', { clusterIP: clusterIPs[1]! }, false, dualStackServices)).toMatchObject({ ipFamilies: ['IPv6'] })
    await expect(
      update('a', { ipFamilyPolicy: 'RequireDualStack', clusterIP: clusterIPs[0]!, clusterIPs: [...clusterIPs] }, false, dualStackServices),
    ).rejects.toMatchObject(alreadyAllocated)
    expect((await update('a', { ipFamilyPolicy: 'RequireDualStack' }, false, dualStackServices)).clusterIPs).toHaveLength(2)
  })
})

describe('node ports', () => {
  const createNodePortSpec = (...nodePorts: number[]): ServiceSpec => ({
    type: 'NodePort',
    ports: nodePorts.map((nodePort, i) => ({ name: `p${i}`, port: 80 + i, nodePort })),
  })

  it('node ports are allocated, kept by port name and released with their port', async () => {
    const { ports = [] } = await create('a', createNodePortSpec(0, 30_002))
    expect(ports[1]?.nodePort).toBe(30_002)
    expect(ports[0]?.nodePort).toBeGreaterThanOrEqual(30_000)
    expect((await update('a', createNodePortSpec(0, 0))).ports).toEqual(ports)
    await expect(create('b', createNodePortSpec(30_002))).rejects.toMatchObject({
      message: 'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 30002: provided port is already allocated',
    })
    await update('a', createNodePortSpec(0))
    await create('b', createNodePortSpec(30_002))
    expect((await update('b', { ports: [{ name: 'p0', port: 80 }] })).ports?.[0]).not.toHaveProperty('nodePort')
    await create('c', createNodePortSpec(30_002))
  })

  it('a create fails if the range of node ports is full', async () => {
    await create('a', createNodePortSpec(0, 0, 0, 0))
    await expect(create('b', createNodePortSpec(0))).rejects.toMatchObject({
      code: 500,
      message: 'Internal error occurred: failed to allocate a nodePort: range is full',
    })
    await remove('a')
    await create('b', createNodePortSpec(0, 0, 0, 0))
  })

  it('rejects node ports outside the range, and releases the other values of the service', async () => {
    await expect(create('a', { ...createNodePortSpec(30_000, 99), clusterIP: '10.0.0.7' })).rejects.toMatchObject({
      message:
        'Service "a" is invalid: spec.ports[1].nodePort: Invalid value: 99: provided port is not in the valid range. The range of valid ports is 30000-30003',
    })
    await create('b', { ...createNodePortSpec(30_000), clusterIP: '10.0.0.7' })
  })

  it('the protocols of one port share a node port', async () => {
    const ports = [
      { name: 'u', port: 53, protocol: 'UDP' },
      { name: 't', port: 53, protocol: 'TCP' },
    ]
    const created = await create('a', { type: 'NodePort', ports })
    expect(created.ports?.[0]?.nodePort).toBe(created.ports?.[1]?.nodePort)
  })

  it('are placeholders in a dry run', async () => {
    expect((await create('a', createNodePortSpec(0, 0), true)).ports?.map((port) => port.nodePort)).toEqual([32_769, 32_770])
    expect((await create('a', createNodePortSpec(2 ** 31 - 1, 0, 0), true)).ports?.slice(1).map((port) => port.nodePort)).toEqual([
      -(2 ** 31),
      1 - 2 ** 31,
    ])
    expect((await create('a', createNodePortSpec(-5, 0), true)).ports?.at(-1)?.nodePort).toBe(1)
    await create('b', createNodePortSpec(30_000))
    await expect(create('a', createNodePortSpec(30_000), true)).rejects.toMatchObject(portTaken)
    await update('b', { ports: [{ port: 80 }] }, true)
    await expect(create('a', createNodePortSpec(30_000))).rejects.toMatchObject(portTaken)
  })

  it('a load balancer gets a node port for its health checks', async () => {
    const local: ServiceSpec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', allocateLoadBalancerNodePorts: false }
    const { healthCheckNodePort, ports } = await create('a', local)
    expect(healthCheckNodePort).toBeGreaterThanOrEqual(30_000)
    expect(ports?.[0]).not.toHaveProperty('nodePort')
    expect((await update('a', local)).healthCheckNodePort).toBe(healthCheckNodePort)
    await expect(create('b', { ...local, healthCheckNodePort: healthCheckNodePort! })).rejects.toMatchObject({
      message: `Internal error occurred: failed to allocate requested HealthCheck NodePort ${healthCheckNodePort}: provided port is already allocated`,
    })
    expect(await update('a', { ...local, externalTrafficPolicy: 'Cluster' })).not.toHaveProperty('healthCheckNodePort')
    await create('b', { ...local, healthCheckNodePort: healthCheckNodePort! })
  })
})
