import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { askServer, askServerForText } from './ask-server.fixture.ts'
import type { JsonResponse } from './ask-server.fixture.ts'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import { startChain } from './start-chain.fixture.ts'

const openChains: ServerChain[] = []
const directories: string[] = []
afterEach(async () => {
  await Promise.all(openChains.splice(0).map((chain) => chain.close()))
  await Promise.all(directories.splice(0).map((directory) => rm(directory, { recursive: true })))
})

async function start(options: ServerChainOptions = {}): Promise<ServerChain> {
  const chain = await startChain(options)
  openChains.push(chain)
  return chain
}

interface Body {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string }
  readonly items: readonly Body[]
  readonly data?: Readonly<Record<string, string>>
  readonly serverAddressByClientCIDRs?: unknown
}

function call(chain: ServerChain, method: string, target: string, body?: object): Promise<JsonResponse<Body>> {
  return askServer(chain, method, target, { body })
}

const createConfigMap = (name: string, data: Record<string, string> = {}): object => ({ metadata: { name }, data })

describe('a server with in-memory storage', () => {
  test('a server has metrics of its store and watch caches', async () => {
    const chain = await start()
    const { text } = await askServerForText(chain, 'GET', '/metrics')
    expect(text).toMatch(/^etcd_requests_total\{group="",operation="create",resource="namespaces"\} 4$/m)
    expect(text).toMatch(/^etcd_request_duration_seconds_bucket\{group="",operation="create",resource="namespaces",le="\+Inf"\} 4$/m)
    expect(text).toMatch(/^apiserver_storage_objects\{resource="events"\} \d+$/m)
    expect(text).toMatch(/^apiserver_storage_size_bytes\{storage_cluster_id="etcd-0"\} \d+$/m)
    expect(text).toMatch(/^apiserver_watch_cache_\w+\{.*resource="namespaces".*\} \d+$/m)
  })

  test('a server has the system namespaces when it is ready', async () => {
    const chain = await start()
    const { body } = await call(chain, 'GET', '/api/v1/namespaces')
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system'])
    expect((await call(chain, 'GET', '/api')).body.serverAddressByClientCIDRs).toEqual([
      { clientCIDR: '0.0.0.0/0', serverAddress: new URL(chain.url).host },
    ])
  })

  test('two servers in one process are independent', async () => {
    const [a, b] = await Promise.all([start(), start()])
    await call(a, 'POST', '/api/v1/namespaces/default/configmaps', createConfigMap('only-a'))
    expect((await call(a, 'GET', '/api/v1/namespaces/default/configmaps/only-a')).status).toBe(200)
    expect((await call(b, 'GET', '/api/v1/namespaces/default/configmaps/only-a')).status).toBe(404)
    expect(a.adminToken).not.toBe(b.adminToken)
  })

  test('runs controllers that fill new namespaces and remove deleted ones', async () => {
    const chain = await start({ controllers: ['*'] })
    await call(chain, 'POST', '/api/v1/namespaces', { metadata: { name: 'short' } })
    await expect.poll(async () => (await call(chain, 'GET', '/api/v1/namespaces/short/serviceaccounts/default')).status).toBe(200)
    const root = '/api/v1/namespaces/short/configmaps/kube-root-ca.crt'
    await expect.poll(async () => (await call(chain, 'GET', root)).body.data?.['ca.crt']).toBe(chain.certificateAuthority)
    await call(chain, 'DELETE', '/api/v1/namespaces/short')
    await expect.poll(async () => (await call(chain, 'GET', '/api/v1/namespaces/short')).status).toBe(404)
  })

  test('serves events under both of their groups, from one store', async () => {
    const chain = await start()
    const event = {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
      reason: 'Because',
      type: 'Normal',
    }
    expect((await call(chain, 'POST', '/api/v1/namespaces/default/events', event)).status).toBe(201)
    expect((await call(chain, 'GET', '/apis/events.k8s.io/v1/namespaces/default/events/e')).body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { name: 'p' },
    })
  })

  test('the loopback client of a server needs no socket', async () => {
    const chain = await createServerChain({ controllers: ['none'] })
    openChains.push(chain)
    await chain.start()
    const configMaps = chain.client.resource({ group: '', resource: 'configmaps' })!
    expect(await configMaps.get('default', 'none')).toBeUndefined()
    expect(() => chain.url).toThrow('does not listen')
  })

  test('rejects unknown controllers before opening anything', async () => {
    await expect(createServerChain({ controllers: ['cats'] })).rejects.toMatchObject({ name: 'ConfigurationError' })
  })

  test.each<ServerChainOptions>([
    { authentication: { clientAuthorities: ['no certificate'] } },
    { serving: { certificate: { certificate: 'none', key: 'none' } } },
    { authorization: { alwaysAllowPaths: ['/a*b'] } },
  ])('rejects options that cannot be satisfied: %j', async (options) => {
    await expect(createServerChain(options)).rejects.toMatchObject({ name: 'ConfigurationError' })
  })
})

describe('over HTTP/2', () => {
  function stream(
    session: ClientHttp2Session,
    chain: ServerChain,
    target: string,
  ): { status: Promise<number>; body: Promise<string>; text: () => string } {
    const request = session.request({ ':path': target, authorization: `Bearer ${chain.adminToken}`, accept: 'application/json' })
    request.setEncoding('utf8')
    let text = ''
    request.on('data', (chunk: string) => (text += chunk))
    return {
      status: once(request, 'response').then(([headers]) => Number((headers as Record<string, unknown>)[':status'])),
      body: once(request, 'end').then(() => text),
      text: () => text,
    }
  }

  test('delivers a large list completely while concurrent watches receive events', async () => {
    const chain = await start()
    const big = 'x'.repeat(200_000)
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => call(chain, 'POST', '/api/v1/namespaces/default/configmaps', createConfigMap(`c${i}`, { big }))),
    )
    const session = connectHttp2(chain.url, { ca: chain.certificateAuthority })
    const watches = Array.from({ length: 5 }, () => stream(session, chain, '/api/v1/namespaces/kube-public/configmaps?watch=1'))
    expect(await Promise.all(watches.map(({ status }) => status))).toEqual([200, 200, 200, 200, 200])
    const list = stream(session, chain, '/api/v1/configmaps?fieldSelector=metadata.namespace=default')
    const parsed = JSON.parse(await list.body) as { items: { data: { big: string } }[] }
    expect(parsed.items).toHaveLength(40)
    expect(parsed.items.every(({ data }) => data.big === big)).toBe(true)

    await call(chain, 'POST', '/api/v1/namespaces/kube-public/configmaps', createConfigMap('seen'))
    for (const watch of watches) await expect.poll(watch.text).toContain('"seen"')
    const closing = chain.close()
    const ends = await Promise.all(watches.map(({ body }) => body))
    for (const text of ends) expect(JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ type: 'ADDED' })
    await closing
  })
})

describe('a server on disk', () => {
  test('keeps objects, certificates and increasing revisions over restarts', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'keelson-chain-'))
    directories.push(dataDir)
    const options: ServerChainOptions = {
      storage: { type: 'embedded', dataDir },
      serving: { certificates: { directory: path.join(dataDir, 'certs') }, kubeconfigPath: path.join(dataDir, 'admin.kubeconfig') },
      controllers: ['none'],
    }
    const first = await start(options)
    const created = await call(first, 'POST', '/api/v1/namespaces/default/configmaps', createConfigMap('kept', { a: '1' }))
    await first.close()

    const second = await start(options)
    expect(second.certificateAuthority).toBe(first.certificateAuthority)
    expect(await readFile(second.kubeconfigPath!, 'utf8')).toBe(second.kubeconfig)
    const read = await call(second, 'GET', '/api/v1/namespaces/default/configmaps/kept')
    expect(read.body).toMatchObject({
      metadata: { uid: created.body.metadata.uid, resourceVersion: created.body.metadata.resourceVersion },
    })
    const next = await call(second, 'POST', '/api/v1/namespaces/default/configmaps', createConfigMap('next'))
    expect(Number(next.body.metadata.resourceVersion)).toBeGreaterThan(Number(created.body.metadata.resourceVersion))
  })
})
