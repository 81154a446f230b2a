import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { Lease } from '@keelson/api/coordination/v1'
import { openMemory } from '@keelson/backend-embedded'
import type { Backend } from '@keelson/storagebackend'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { askServer, askServerForText } from './ask-server.fixture.ts'
import type { ConfigurationError } from './configuration-error.ts'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

const jobs = '/apis/batch/v1/namespaces/default/jobs'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const job = { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } }

let directory: string
let backend: Backend
/** Serves batch/v1, but not apps/v1. */
let first: ServerChain
/** Serves apps/v1, but neither batch/v1 nor autoscaling/v2. */
let second: ServerChain
/** Between the peers and `first`. */
let relay: Relay

/** Copies bytes between connections to its port and a server. */
interface Relay {
  readonly port: number
  target: string
  close(): void
}

async function openRelay(): Promise<Relay> {
  const sockets = new Set<Socket>()
  const listener = createServer((socket) => {
    const { hostname, port } = new URL(relay.target)
    const other = connect(Number(port), hostname)
    for (const each of [socket, other]) sockets.add(each.on('error', () => {}))
    socket.on('close', () => other.destroy())
    other.on('close', () => socket.destroy())
    socket.pipe(other).pipe(socket)
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const close = (): void => {
    listener.close()
    for (const socket of sockets) socket.destroy()
  }
  const relay: Relay = { port: (listener.address() as AddressInfo).port, target: '', close }
  return relay
}

/** Starts a server that does not serve some versions. Its peers reach it through a relay. */
async function startWithout(
  hostname: string,
  ...versions: readonly string[]
): Promise<{ readonly server: ServerChain; readonly relay: Relay }> {
  const relay = await openRelay()
  const server = await createServerChain({
    storage: { backend },
    serving: { certificates: { directory } },
    peers: { hostname, authorityFile: path.join(directory, 'ca.crt'), advertiseAddress: '127.0.0.1', advertisePort: relay.port },
    features: { runtimeConfig: Object.fromEntries(versions.map((version) => [version, false])) },
    controllers: ['none'],
    log: () => {},
  })
  await server.listen()
  relay.target = server.url
  await server.ready
  return { server, relay }
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'keelson-peers-'))
  backend = openMemory()
  // The CA must exist before the first server can trust its peers.
  await (await createServerChain({ serving: { certificates: { directory } }, log: () => {} })).close()
  const opened = await startWithout('first', 'apps/v1')
  first = opened.server
  relay = opened.relay
  second = (await startWithout('second', 'batch/v1', 'autoscaling/v2')).server
  for (const [server, target] of [
    [first, deployments],
    [second, jobs],
  ] as const) {
    await vi.waitUntil(async () => (await askServerForText(server, 'GET', target)).status === 200, { timeout: 20_000, interval: 20 })
  }
}, 60_000)
afterAll(async () => {
  await second?.close()
  await first?.close()
  await backend?.[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function readGroups(server: ServerChain, accept: string): Promise<readonly string[]> {
  const answer = await server.fetch('/apis', { user: { name: 'me', groups: ['system:masters'] }, headers: { accept } })
  const { items } = (await answer.json()) as { items: { metadata: { name: string }; versions: { version: string }[] }[] }
  return items.flatMap(({ metadata, versions }) => versions.map(({ version }) => `${metadata.name}/${version}`))
}

describe('requests for a resource that only a peer serves', () => {
  test('are forwarded with their body, their query and their user', async () => {
    const body = { ...job, metadata: { name: 'a', labels: { team: 'a' } } }
    const created = await askServer<{ metadata: { managedFields: { manager: string }[] } }>(second, 'POST', `${jobs}?fieldManager=me`, {
      body,
    })
    expect([created.status, created.body.metadata.managedFields[0]!.manager]).toEqual([201, 'me'])
    const countJobs = async (selector: string): Promise<number> =>
      (await askServer<{ items: object[] }>(second, 'GET', `${jobs}?labelSelector=${encodeURIComponent(selector)}`)).body.items.length
    expect([await countJobs('team in (a,b)'), await countJobs('team in (b)')]).toEqual([1, 0])
    const changed = { ...created.body, metadata: { ...created.body.metadata, annotations: { note: 'x'.repeat(100_000) } } }
    expect((await askServer(second, 'PUT', `${jobs}/a`, { body: changed })).status).toBe(200)
    expect((await askServer(second, 'DELETE', `${jobs}/a?propagationPolicy=Background`)).status).toBe(200)
    expect((await askServer(first, 'GET', `${jobs}/a`)).status).toBe(404)
    const { text } = await askServerForText(second, 'GET', '/metrics')
    expect(text).toContain('apiserver_rerouted_request_total{code="201",group="batch",resource="jobs",version="v1"} 1\n')
    expect(text).toMatch(/^apiserver_rerouted_request_total\{code="200",group="",resource="",version=""\} [1-9]/m)
  })

  test('are authorized before they are forwarded', async () => {
    const refused = await second.fetch(jobs, { user: { name: 'alice', groups: [] } })
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('User \\"alice\\" cannot list resource \\"jobs\\"'),
    ])
  })

  test('are served locally if a peer has forwarded them, or if no peer serves them', async () => {
    const user = { name: 'me', groups: ['system:masters'] }
    expect((await second.fetch(jobs, { user, headers: { 'x-kubernetes-peer-proxied': 'true' } })).status).toBe(404)
    expect((await second.fetch('/apis/batch/v9/namespaces/default/jobs', { user })).status).toBe(404)
    expect((await second.fetch('/apis/batch/v1', { user })).status).toBe(404)
  })

  test('are not forwarded for custom resources, which all servers define alike', async () => {
    const definition = {
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'things', kind: 'Thing' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    }
    const things = '/apis/example.com/v1/namespaces/default/things'
    expect((await askServer(first, 'POST', definitions, { body: definition })).status).toBe(201)
    for (const server of [first, second]) {
      await vi.waitUntil(async () => (await askServerForText(server, 'GET', things)).status === 200, { timeout: 10_000, interval: 20 })
    }
    expect((await askServer(first, 'DELETE', `${definitions}/things.example.com`)).status).toBe(200)
    for (const server of [first, second]) {
      await vi.waitUntil(async () => (await askServerForText(server, 'GET', things)).status === 404, { timeout: 10_000, interval: 20 })
    }
    const { text } = await askServerForText(second, 'GET', '/metrics')
    expect(text).not.toMatch(/^apiserver_rerouted_request_total\{.*example\.com/m)
  })
})

test('the hooks of the aggregator and of peers are a part of readiness', async () => {
  const { text } = await askServerForText(second, 'GET', '/readyz?verbose')
  const names = [
    'aggregator-reload-proxy-client-cert',
    'apiservice-openapi-controller',
    'apiservice-openapiv3-controller',
    'mixed-version-proxy-handler',
    'local-discovery-cache-sync',
    'peer-discovery-workers',
    'peer-endpoint-reconciler-controller',
  ]
  for (const name of names) expect(text).toContain(`[+]poststarthook/${name} ok\n`)
})

test('aggregated discovery lists the groups of all servers, unless the client wants those of one server', async () => {
  const documents = await Promise.all([first, second].map((server) => readGroups(server, aggregated)))
  expect(documents[0]).toEqual(documents[1])
  expect(documents[0]).toEqual(expect.arrayContaining(['apps/v1', 'batch/v1']))
  expect(await readGroups(first, `${aggregated};profile=nopeer`)).not.toContain('apps/v1')
  expect(await readGroups(second, `${aggregated};profile=nopeer`)).not.toContain('batch/v1')
  const { groups } = (await askServer<{ groups: { name: string }[] }>(second, 'GET', '/apis')).body
  expect(groups.map(({ name }) => name)).not.toContain('batch')
  const { text } = await askServerForText(second, 'GET', '/metrics')
  expect(text).toMatch(/^aggregator_discovery_nopeer_requests_total [1-9]/m)
  expect(text).toMatch(/^aggregator_discovery_peer_aggregated_cache_misses_total [1-9]/m)
})

test('requests are not forwarded to peers for the version of an APIService with a server, nor after its deletion', async () => {
  const autoscalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers'
  const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices'
  const readStatus = async (): Promise<number> => (await askServerForText(second, 'GET', autoscalers)).status
  await expect.poll(readStatus, { timeout: 10_000 }).toBe(200)
  const spec = {
    group: 'autoscaling',
    version: 'v2',
    groupPriorityMinimum: 1000,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
    service: { namespace: 'default', name: 'absent', port: 443 },
  }
  // The servers delete APIServices of versions that they do not serve, so there is none.
  expect((await askServer(second, 'POST', apiServices, { body: { metadata: { name: 'v2.autoscaling' }, spec } })).status).toBe(201)
  await expect.poll(readStatus, { timeout: 10_000 }).toBe(503)
  const readRerouted = async (): Promise<readonly string[]> => {
    const { text } = await askServerForText(second, 'GET', '/metrics')
    return text.split('\n').filter((line) => line.startsWith('apiserver_rerouted_request_total'))
  }
  const before = await readRerouted()
  expect((await askServer(second, 'DELETE', `${apiServices}/v2.autoscaling`)).status).toBe(200)
  await expect.poll(readStatus, { timeout: 10_000 }).toBe(404)
  expect(await readRerouted()).toEqual(before)
})

describe('a peer that cannot be reached', () => {
  test('makes the request fail', async () => {
    relay.close()
    const refused = await vi.waitFor(async () => {
      const answer = await askServerForText(second, 'GET', jobs)
      expect(answer.text).toContain('connection refused')
      return answer
    })
    expect([refused.status, refused.text]).toEqual([503, `dial tcp 127.0.0.1:${relay.port}: connect: connection refused\n`])
  })

  test('makes the request fail if the store has no address of it', async () => {
    const prefix = '/registry/peerserverleases/'
    const { items } = (await askServer<{ items: Lease[] }>(second, 'GET', leases)).body
    const { name } = items.find(({ metadata }) => metadata.labels?.['kubernetes.io/hostname'] === 'first')!.metadata
    expect(await backend.commit({ compare: [], operations: [{ type: 'delete', key: prefix + name! }] })).toMatchObject({ committed: true })
    expect(await askServer(second, 'GET', jobs)).toMatchObject({
      status: 503,
      body: { reason: 'ServiceUnavailable', message: 'Error getting ip and port info of the remote server while proxying' },
    })
    const { text } = await askServerForText(second, 'GET', '/metrics')
    expect(text).toContain('apiserver_peer_proxy_errors_total{group="batch",resource="jobs",type="endpoint_resolution",version="v1"} 1\n')
  })

  test('is forgotten when it has stopped', async () => {
    const { server: third } = await startWithout('third', 'apps/v1')
    await vi.waitUntil(async () => (await askServerForText(third, 'GET', deployments)).status === 200, { timeout: 20_000, interval: 20 })
    await second.close()
    await vi.waitUntil(async () => (await askServerForText(third, 'GET', deployments)).status === 404, { timeout: 20_000, interval: 20 })
    expect(await readGroups(third, aggregated)).not.toContain('apps/v1')
    await third.close()
  })
})

test('settings that cannot be used are refused', async () => {
  const peers = { authorityFile: path.join(directory, 'missing.crt') }
  await expect(createServerChain({ peers, log: () => {} })).rejects.toThrow('the CAs of other API servers cannot be read')
  const proxyless = { authentication: { frontProxy: { authorityFile: path.join(directory, 'front-proxy-ca.crt') } } }
  await expect(
    createServerChain({ peers: { authorityFile: path.join(directory, 'ca.crt') }, ...proxyless, log: () => {} }),
  ).rejects.toThrow('error building peer proxy handler, proxy-cert-file not specified')
  const gates = { UnknownVersionInteroperabilityProxy: false }
  const error = await createServerChain({ peers: { authorityFile: 'x', advertisePort: 1 }, features: { gates } }).catch(
    (thrown: unknown) => thrown,
  )
  expect((error as ConfigurationError).problems).toEqual([
    '--peer-ca-file requires UnknownVersionInteroperabilityProxy feature to be turned on',
    '--peer-advertise-port requires UnknownVersionInteroperabilityProxy feature to be turned on',
  ])
})
