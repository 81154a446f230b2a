import type { Lease } from '@keelson/api/coordination/v1'
import type { Endpoints } from '@keelson/api/core/v1'
import { createManualClock } from '@keelson/apimachinery/testing'
import { openMemory } from '@keelson/backend-embedded'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each[Symbol.asyncDispose]()
})

const start = new Date('2026-01-01T00:00:00Z').getTime()

async function startServer(options: ServerChainOptions): Promise<ServerChain> {
  const chain = await startChain({ log: () => {}, ...options })
  open.push(chain)
  return chain
}

const findLeases = (chain: ServerChain) => chain.client.resource<Lease>({ group: 'coordination.k8s.io', resource: 'leases' })!
const listLeases = async (chain: ServerChain) => (await findLeases(chain).list({ namespace: 'kube-system', resourceVersion: '' })).items

describe('the identity lease', () => {
  test('names the server, its machine and its address, is renewed, and is deleted when the server stops', async () => {
    const backend = openMemory()
    open.push(backend)
    const clock = createManualClock(start)
    const chain = await startServer({
      storage: { backend },
      clock,
      peers: { hostname: 'node-a', advertiseAddress: '10.1.2.3', advertisePort: 7443 },
    })
    const [lease] = await listLeases(chain)
    // kube-apiserver's name for a machine with this host name.
    const name = lease!.metadata.name!
    expect(lease).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^apiserver-[a-z2-7]{26}$/),
        labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': 'node-a' },
        annotations: { 'kubernetes.io/peer-advertise-address': '10.1.2.3:7443' },
      },
      spec: { leaseDurationSeconds: 3600, renewTime: '2026-01-01T00:00:00.000000Z' },
    })
    expect(lease!.spec?.holderIdentity).toMatch(new RegExp(`^${name}_[0-9a-f-]{36}$`))
    await vi.waitUntil(
      async () => {
        clock.advance(1000)
        const [renewed] = await listLeases(chain)
        return renewed!.spec!.renewTime! > '2026-01-01T00:00:10' && renewed!.spec!.holderIdentity === lease!.spec!.holderIdentity
      },
      { timeout: 10_000 },
    )
    const other = await startServer({ storage: { backend }, clock, peers: { hostname: 'node-b' } })
    expect(await listLeases(other)).toHaveLength(2)
    open.splice(open.indexOf(chain), 1)
    await chain.close()
    expect((await listLeases(other)).map(({ metadata }) => metadata.labels!['kubernetes.io/hostname'])).toEqual(['node-b'])
  })

  test('of another server is deleted after it has expired', async () => {
    const backend = openMemory()
    open.push(backend)
    const seeder = await createServerChain({ storage: { backend }, controllers: ['none'], log: () => {} })
    await seeder.start()
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }
    const create = (name: string, renewTime: string) =>
      findLeases(seeder).create('kube-system', {
        metadata: { name, labels },
        spec: { holderIdentity: 'x', leaseDurationSeconds: 3600, renewTime },
      })
    await create('apiserver-expired', '2020-01-01T00:00:00.000000Z')
    await create('apiserver-valid', '2199-01-01T00:00:00.000000Z')
    await findLeases(seeder).create('kube-system', { metadata: { name: 'other' }, spec: {} })
    await seeder.close()
    const chain = await startServer({ storage: { backend }, peers: { hostname: 'node-a' } })
    const listNames = async () => (await listLeases(chain)).map(({ metadata }) => metadata.name!)
    await vi.waitUntil(async () => !(await listNames()).includes('apiserver-expired'), { timeout: 10_000 })
    expect(await listNames()).toEqual([expect.stringMatching(/^apiserver-.{26}$/), 'apiserver-valid', 'other'])
  })

  test('is missing without a port, without other servers, and if the feature is disabled', async () => {
    const chain = await createServerChain({ controllers: ['none'], log: () => {} })
    open.push(chain)
    await chain.start()
    expect(await listLeases(chain)).toEqual([])
    const gates = { APIServerIdentity: false, UnknownVersionInteroperabilityProxy: false, StorageVersionAPI: false }
    expect(await listLeases(await startServer({ features: { gates }, peers: {} }))).toEqual([])
    // Nothing else uses a store in memory, unless the options say so.
    expect(await listLeases(await startServer({}))).toEqual([])
  })
})

test('the store has the address of the server for its peers while it runs', async () => {
  const backend = openMemory()
  open.push(backend)
  const range = { start: '/registry/peerserverleases/', end: '/registry/peerserverleases0' }
  const readKeys = async () => (await backend.list(range)).entries
  const chain = await startServer({
    storage: { backend },
    peers: { hostname: 'node-a', advertiseAddress: '10.1.2.3', advertisePort: 7443 },
  })
  const [lease] = await listLeases(chain)
  const [entry] = await vi.waitUntil(async () => ((await readKeys()).length > 0 ? readKeys() : undefined))
  expect(entry!.key).toBe(`/registry/peerserverleases/${lease!.metadata.name}`)
  const text = Buffer.from(entry!.value).toString()
  const stored = JSON.parse(text.slice(text.indexOf('{"metadata"') < 0 ? text.indexOf('{') : text.indexOf('{"metadata"'))) as Endpoints
  expect(stored).toMatchObject({
    metadata: { labels: { apiserverIdentity: lease!.metadata.name } },
    subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ name: 'https', port: 7443, protocol: 'TCP' }] }],
  })
  open.splice(open.indexOf(chain), 1)
  await chain.close()
  expect(await readKeys()).toEqual([])
})
