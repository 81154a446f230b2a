import type { Service, ServiceSpec } from '@keelson/api/core/v1'
import { isApiError } from '@keelson/apimachinery'
import { openMemory } from '@keelson/backend-embedded'
import { getPlainObject, testContext } from '@keelson/registry/testing'
import { services } from '@keelson/resources-core'
import { describe, expect, it } from 'vitest'
import { openServices } from '../services.fixture.ts'
import type { TestServices } from '../services.fixture.ts'

const context = testContext('ns')

async function create({ store }: TestServices, name: string): Promise<ServiceSpec> {
  const service: Service = { metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }
  services.setDefaults?.(service)
  return (getPlainObject(await store.create(context, service, { dryRun: false })) as Service).spec!
}

const remove = ({ store }: TestServices, name: string): Promise<unknown> => store.delete(context, name, { options: {}, dryRun: false })

describe('several servers on one store', () => {
  it('several servers allocate each address and port exactly once', async () => {
    await using backend = openMemory()
    const options = { backend, clusterIPRange: '10.0.0.0/26', nodePortRange: '30000-30049' }
    await using first = await openServices(options)
    await using second = await openServices(options)
    const servers = [first, second]
    // The ranges have 62 addresses and 50 ports for 64 concurrent requests.
    const created = await Promise.allSettled(Array.from({ length: 64 }, (_, i) => create(servers[i % 2]!, `s${i}`)))
    const services = created.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(new Set(services.map(({ ports }) => ports?.[0]?.nodePort)).size).toBe(50)
    expect(new Set(services.map(({ clusterIP }) => clusterIP)).size).toBe(50)
    for (const result of created) {
      if (result.status === 'fulfilled') continue
      if (!isApiError(result.reason)) throw result.reason
      expect(result.reason.message).toMatch(
        /^Internal error occurred: failed to allocate a (nodePort|serviceIP for Service "s\d+"): range is full$/,
      )
    }
    // Values claimed by rejected requests are free again on every server.
    await remove(second, `s${created.findIndex(({ status }) => status === 'fulfilled')}`)
    expect((await create(second, 'late')).ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30_000)
    await expect.poll(() => [...first.allocators.addresses.list()]).toHaveLength(50)
  })

  it('a server allocates values that another server has released', async () => {
    await using backend = openMemory()
    const options = { backend, clusterIPRange: '10.0.0.0/30', nodePortRange: '30000-30001' }
    await using first = await openServices(options)
    await using second = await openServices(options)
    for (let round = 0; round < 5; round++) {
      await Promise.all([create(first, 'a'), create(second, 'b')])
      await Promise.all([remove(second, 'a'), remove(first, 'b')])
    }
    expect((await first.allocators.ports.registry.read()).bitmap.count).toBe(0)
  })

  it('concurrent port allocations are batched into few writes', async () => {
    await using server = await openServices()
    const readRevision = async (): Promise<number> => (await server.allocators.ports.registry.read()).stored!.revision
    const oldRevision = await readRevision()
    const ports = await Promise.all(Array.from({ length: 100 }, () => server.allocators.ports.takeAny()))
    expect(new Set(ports).size).toBe(100)
    expect((await readRevision()) - oldRevision).toBeLessThan(5)
  })

  it('the values of rejected services are released', async () => {
    await using server = await openServices({ clusterIPRange: '10.0.0.0/30' })
    const invalidService: Service = {
      metadata: { name: 'a' },
      spec: { ports: [{ port: 80 }], clusterIP: '10.0.0.1', sessionAffinity: 'Often' },
    }
    services.setDefaults?.(invalidService)
    for (let round = 0; round < 20; round++) {
      await expect(server.store.create(context, structuredClone(invalidService), { dryRun: false })).rejects.toMatchObject({
        message: expect.not.stringContaining('already allocated') as unknown,
      })
    }
  })
})
