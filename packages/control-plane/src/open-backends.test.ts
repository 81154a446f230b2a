import { openMemory } from '@keelson/backend-embedded'
import { createFactory } from '@keelson/storagebackend'
import type { Backend } from '@keelson/storagebackend'
import { expect, it } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import { openBackends } from './open-backends.ts'

/** Creates a fake driver that opens one in-memory store for each server address. */
function createFakeDriver() {
  const opened = new Map<string, Backend>()
  const closed: string[] = []
  const openEtcd3 = async ({ transport }: { transport?: { serverList: readonly string[] } }): Promise<Backend> => {
    const serverAddress = transport?.serverList.join(';') ?? ''
    if (serverAddress.includes('broken')) throw new Error('it cannot be reached')
    const backend = openMemory()
    opened.set(serverAddress, backend)
    const close = backend[Symbol.asyncDispose].bind(backend)
    backend[Symbol.asyncDispose] = async () => {
      closed.push(serverAddress)
      await close()
    }
    return backend
  }
  return { opened, closed, etcd3: openEtcd3 }
}

const main = { type: 'etcd3', transport: { serverList: ['http://main:2379'] } }

it('shares a store between overrides with the same servers', async () => {
  const { opened, closed, etcd3 } = createFakeDriver()
  const backends = await openBackends(createFactory({ etcd3 }), main, {
    overrides: [
      { resource: '/events', servers: ['http://events:2379'] },
      { resource: 'events.k8s.io/events', servers: ['http://events:2379'] },
    ],
  })
  expect([...opened.keys()].toSorted()).toEqual(['http://events:2379', 'http://main:2379'])
  expect(backends.overrides.get('/events')).toBe(opened.get('http://events:2379'))
  expect(backends.overrides.get('events.k8s.io/events')).toBe(opened.get('http://events:2379'))
  await backends[Symbol.asyncDispose]()
  expect(closed).toEqual(['http://main:2379', 'http://events:2379'])
})

it('closes the stores that are already open if another one cannot be opened', async () => {
  const { closed, etcd3 } = createFakeDriver()
  const opening = openBackends(createFactory({ etcd3 }), main, { overrides: [{ resource: '/events', servers: ['http://broken:2379'] }] })
  await expect(opening).rejects.toThrow('it cannot be reached')
  expect(closed).toEqual(['http://main:2379'])
})

it('stores each resource in its configured store', async () => {
  const { opened, closed, etcd3 } = createFakeDriver()
  const chain = await createServerChain({
    storage: { ...main, drivers: { etcd3 }, overrides: [{ resource: '/configmaps', servers: ['http://maps:2379'] }] },
    controllers: ['none'],
  })
  await chain.listen()
  await chain.ready
  await chain.client.resource({ group: '', resource: 'configmaps' })!.create('default', { metadata: { name: 'here' } })
  await chain.client.resource({ group: '', resource: 'secrets' })!.create('default', { metadata: { name: 'there' } })
  const hasKey = async (storeName: string, key: string): Promise<boolean> => (await opened.get(storeName)!.get(key)).entry !== undefined
  expect(await hasKey('http://maps:2379', '/registry/configmaps/default/here')).toBe(true)
  expect(await hasKey('http://main:2379', '/registry/configmaps/default/here')).toBe(false)
  expect(await hasKey('http://main:2379', '/registry/secrets/default/there')).toBe(true)
  await chain.close()
  expect(closed.toSorted()).toEqual(['http://main:2379', 'http://maps:2379'])
})
