import { gunzipSync } from 'node:zlib'
import type { Service } from '@keelson/api/core/v1'
import { openMemory } from '@keelson/backend-embedded'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const json = { 'content-type': 'application/json' }
const alice = { name: 'alice', groups: ['system:masters'] }

async function startChain(options: ServerChainOptions = {}): Promise<ServerChain> {
  const chain = await createServerChain({ controllers: ['none'], ...options })
  await chain.start()
  return chain
}

/** Yields the events of a watch response. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<{ type: string; object: { metadata: { name: string } } }> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    text = lines.pop()!
    for (const line of lines) yield JSON.parse(line) as { type: string; object: { metadata: { name: string } } }
  }
}

describe('chain.fetch', () => {
  let chain: ServerChain
  let admin: Record<string, string>
  const create = (name: string, data: object = {}): Promise<Response> =>
    chain.fetch(maps, {
      method: 'POST',
      headers: { ...json, 'user-agent': 'tester/1' },
      body: JSON.stringify({ metadata: { name }, data }),
      user: alice,
    })
  /** Reads the number of open watches from the metrics. */
  const countWatches = async (): Promise<number> => {
    const text = await (await chain.fetch('/metrics', { user: alice })).text()
    return Number(/^apiserver_longrunning_requests\{.*resource="configmaps".*verb="WATCH".*\} (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  const waitForWatches = async (count: number): Promise<void> => {
    while ((await countWatches()) !== count) await new Promise((resolve) => setImmediate(resolve))
  }

  beforeAll(async () => {
    chain = await startChain()
    admin = { authorization: `Bearer ${chain.adminToken}` }
  })
  afterAll(() => chain.close())

  test('chain.fetch works without a socket', () => {
    expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap')
    expect(() => chain.url).toThrow('does not listen')
  })

  test('chain.fetch creates, reads, patches and deletes objects, and tracks field managers', async () => {
    const created = await create('a', { key: '1' })
    expect(created.status).toBe(201)
    const patched = await chain.fetch(`${maps}/a`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"data":{"key":"2"}}',
      user: alice,
    })
    expect(await patched.json()).toMatchObject({ data: { key: '2' } })
    const read = await chain.fetch(new Request(`https://kubernetes.default.svc${maps}/a`, { headers: admin }))
    expect(await read.json()).toMatchObject({ data: { key: '2' }, metadata: { managedFields: [{ manager: 'tester' }, {}] } })
    expect((await chain.fetch(`${maps}/a`, { method: 'DELETE', user: alice })).status).toBe(200)
    const missing = await chain.fetch(`${maps}/a`, { user: alice })
    expect([missing.status, await missing.json()]).toEqual([404, expect.objectContaining({ kind: 'Status', reason: 'NotFound' })])
  })

  test('treats anonymous requests and unknown tokens like requests from the network', async () => {
    const anonymous = await chain.fetch(maps)
    expect([anonymous.status, await anonymous.json()]).toMatchObject([
      403,
      {
        message:
          'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
      },
    ])
    expect((await chain.fetch(maps, { headers: { authorization: 'Bearer x' } })).status).toBe(401)
    expect((await chain.fetch(maps, { user: { name: 'bob' } })).status).toBe(403)
    expect(await (await chain.fetch('/readyz')).text()).toBe('ok')
    expect(await (await chain.fetch('/metrics', { headers: admin })).text()).toContain('apiserver_request_total')
  })

  test('streams a long list, compressed if the client accepts that', async () => {
    const data = { text: 'x'.repeat(20_000) }
    await Promise.all(Array.from({ length: 40 }, (_, i) => create(`long-${i}`, data)))
    const list = await chain.fetch(maps, { user: alice })
    expect(((await list.json()) as { items: unknown[] }).items).toHaveLength(40)
    const packed = await chain.fetch(maps, { user: alice, headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    const { items } = JSON.parse(gunzipSync(await packed.arrayBuffer()).toString()) as { items: { data: unknown }[] }
    expect(items.every((item) => (item.data as { text: string }).text === data.text)).toBe(true)
    expect((await chain.fetch(maps, { method: 'DELETE', user: alice })).status).toBe(200)
  })

  test('chain.fetch supports protobuf', async () => {
    const proto = 'application/vnd.kubernetes.protobuf'
    await create('proto')
    const bytes = await (await chain.fetch(`${maps}/proto`, { user: alice, headers: { accept: proto } })).arrayBuffer()
    expect(Buffer.from(bytes, 0, 4).toString()).toBe('k8s\0')
    const replaced = await chain.fetch(`${maps}/proto`, { method: 'PUT', user: alice, headers: { 'content-type': proto }, body: bytes })
    expect(replaced.status).toBe(200)
  })

  test('ends a watch when the body is cancelled or the signal aborts', async () => {
    const { headers } = await chain.fetch(maps, { user: alice })
    expect(headers.get('content-type')).toBe('application/json')
    const controller = new AbortController()
    const aborted = await chain.fetch(`${maps}?watch=1`, { user: alice, signal: controller.signal })
    const cancelled = await chain.fetch(`${maps}?watch=1`, { user: alice })
    await waitForWatches(2)
    await create('watched')
    for await (const { type, object } of readEvents(cancelled.body!)) {
      if (object.metadata.name !== 'watched') continue
      expect(type).toBe('ADDED')
      break
    }
    await waitForWatches(1)
    controller.abort()
    await expect(aborted.text()).rejects.toMatchObject({ name: 'AbortError' })
    await waitForWatches(0)
  })

  test('applies backpressure to watches', async () => {
    const countSentEvents = async (): Promise<number> => {
      const text = await (await chain.fetch('/metrics', { user: alice })).text()
      return Number(/^apiserver_watch_events_total\{.*resource="configmaps".*\} (\d+)$/m.exec(text)?.[1] ?? 0)
    }
    expect((await chain.fetch(maps, { method: 'DELETE', user: alice })).status).toBe(200)
    const oldCount = await countSentEvents()
    const unread = await chain.fetch(`${maps}?watch=1`, { user: alice })
    for (let i = 0; i < 40; i++) await create(`unread-${i}`, { text: 'x'.repeat(100_000) })
    expect((await countSentEvents()) - oldCount).toBeLessThan(10)
    let remaining = 40
    for await (const { type, object } of readEvents(unread.body!)) {
      if (type === 'ADDED' && object.metadata.name.startsWith('unread-') && --remaining === 0) break
    }
    expect((await countSentEvents()) - oldCount).toBeGreaterThanOrEqual(40)
    await waitForWatches(0)
  })
})

describe('before the start', () => {
  test('members that need a started server throw an error before the start', async () => {
    await using chain = await createServerChain({ controllers: ['none'] })
    const hint = 'the server has not been started; call listen(), or start() for a server without a port, first'
    await expect(chain.ready).rejects.toThrow(`ready: ${hint}`)
    await expect(chain.fetch('/readyz')).rejects.toThrow(`fetch: ${hint}`)
    expect(() => chain.client).toThrow(`client: ${hint}`)
  })

  test('listen starts the server', async () => {
    await using chain = await createServerChain({ controllers: ['none'] })
    const listening = chain.listen()
    await Promise.all([listening, chain.ready])
    expect((await chain.fetch('/readyz')).status).toBe(200)
  })
})

test('a started server can listen later and then becomes an endpoint of the kubernetes service', async () => {
  await using chain = await startChain({ serving: { advertiseAddress: '192.0.2.1' } })
  const services = chain.client.resource<Service>({ group: '', resource: 'services' })!
  expect(await services.get('default', 'kubernetes', { resourceVersion: '' })).toBeUndefined()
  await chain.listen()
  await chain.ready
  expect((await services.get('default', 'kubernetes', { resourceVersion: '' }))?.spec?.ports?.[0]?.targetPort).toBe(
    Number(new URL(chain.url).port),
  )
  const endpoints = await chain.fetch('/api/v1/namespaces/default/endpoints/kubernetes', { user: alice })
  expect(await endpoints.json()).toMatchObject({ subsets: [{ addresses: [{ ip: '192.0.2.1' }] }] })
})

describe('a store given by the caller', () => {
  test('the server does not close a store of its caller, which can be used again', async () => {
    await using backend = openMemory()
    const first = await startChain({ storage: { backend } })
    await first.client.resource({ group: '', resource: 'configmaps' })!.create('default', { metadata: { name: 'kept' } })
    await first.close()
    await using second = await startChain({ storage: { backend } })
    expect((await second.fetch(`${maps}/kept`, { user: alice })).status).toBe(200)
  })

  test('servers on forks of one store do not see changes of each other', async () => {
    await using seeded = openMemory()
    const seeder = await startChain({ storage: { backend: seeded } })
    await seeder.client.resource({ group: '', resource: 'configmaps' })!.create('default', { metadata: { name: 'seed' } })
    await seeder.close()
    const open = async (): Promise<ServerChain> => startChain({ storage: { backend: seeded.fork() } })
    await using serverChain = await open()
    await using other = await open()
    expect((await serverChain.fetch(`${maps}/seed`, { method: 'DELETE', user: alice })).status).toBe(200)
    expect((await other.fetch(`${maps}/seed`, { user: alice })).status).toBe(200)
  })

  test('a failed start does not close a store of the caller', async () => {
    await using backend = openMemory()
    await expect(createServerChain({ storage: { backend }, services: { clusterIpRange: 'nonsense' } })).rejects.toThrow('nonsense')
    expect(await backend.get('/a')).toMatchObject({ entry: undefined })
  })
})
