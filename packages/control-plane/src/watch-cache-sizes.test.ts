import type { KubeObject } from '@keelson/apimachinery'
import { expect, test } from 'vitest'
import { askServer, askServerForText } from './ask-server.fixture.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import { startChain } from './start-chain.fixture.ts'

/** Starts a server and returns the resources that have a watch cache. */
async function listCachedResources(storage: NonNullable<ServerChainOptions['storage']>): Promise<ReadonlySet<string>> {
  const chain = await startChain({ storage })
  try {
    const event = { metadata: { name: 'a', namespace: 'default' }, involvedObject: { namespace: 'default' } }
    expect((await askServer(chain, 'POST', '/api/v1/namespaces/default/events', { body: event })).status).toBe(201)
    for (const path of ['/api/v1/events', '/apis/events.k8s.io/v1/events']) {
      const { body } = await askServer<{ items: readonly KubeObject[] }>(chain, 'GET', path)
      expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['a'])
    }
    const { text } = await askServerForText(chain, 'GET', '/metrics')
    const filled = text.matchAll(/^apiserver_watch_cache_initializations_total\{group="(.*)",resource="(.*)"\} 1$/gm)
    return new Set(Array.from(filled, ([, group, resource]) => (group === '' ? resource! : `${resource}.${group}`)))
  } finally {
    await chain.close()
  }
}

test('every resource except events has a watch cache', async () => {
  const cached = await listCachedResources({})
  expect(cached).toContain('pods')
  expect(cached).toContain('deployments.apps')
  expect(cached).not.toContain('events')
})

test('a size enables the watch cache of a resource that has none by default, and 0 disables one', async () => {
  const cached = await listCachedResources({ watchCacheSizes: { events: 100, 'deployments.apps': 0 } })
  expect(cached).toContain('pods')
  expect(cached).toContain('events')
  expect(cached).not.toContain('deployments.apps')
})

test('with a default size of 0, only resources with their own size have a watch cache', async () => {
  const cached = await listCachedResources({ watchCacheSizes: { events: 100, pods: 7 }, defaultWatchCacheSize: 0 })
  expect([...cached].sort()).toEqual(['events', 'pods'])
})

test('a size does not enable a watch cache if the watch cache is disabled', async () => {
  expect([...(await listCachedResources({ watchCache: false, watchCacheSizes: { events: 100 } }))]).toEqual([])
})

test('with opensOnUse, resources without requests have no watch cache', async () => {
  const cached = await listCachedResources({ opensOnUse: true, watchCacheSizes: { events: 100 } })
  expect(cached).toContain('events')
  expect(cached).toContain('namespaces')
  expect(cached).not.toContain('deployments.apps')
})
