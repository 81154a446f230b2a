import { DiscoveryRegistry } from '@keelson/http-installer'
import { expect, it } from 'vitest'
import { createRemotes } from '../api-services.fixture.ts'
import type { TestRemotes, TestResponder } from '../api-services.fixture.ts'
import { DiscoveryController } from './discovery-controller.ts'
import { aggregatedTypes } from './read-discovery.ts'

const name = 'v1.a.example.com'
const group = 'a.example.com'

interface TestDiscovery extends TestRemotes, AsyncDisposable {
  readonly discovery: DiscoveryRegistry
  readonly controller: DiscoveryController
  /** Returns the entries of a group in aggregated discovery. */
  read(group?: string): unknown
}

function openDiscovery(respond: TestResponder, ...names: readonly string[]): TestDiscovery {
  const remotes = createRemotes(respond, ...names)
  const { index, servers, clock, queueMetrics } = remotes
  const discovery = new DiscoveryRegistry()
  const controller = new DiscoveryController({ index: index as never, discovery, findClient: servers.findClient, clock, queueMetrics })
  return {
    ...remotes,
    discovery,
    controller,
    read: (read = group) => {
      const versions = discovery.aggregatedGroups().find((each) => each.name === read)?.versions
      return versions?.map((version) => ('json' in version ? (JSON.parse(version.json) as unknown) : version))
    },
    [Symbol.asyncDispose]: () => controller[Symbol.asyncDispose](),
  }
}

const kind = { group: '', version: '', kind: 'Thing' }
const things = { resource: 'things', responseKind: kind, scope: 'Cluster', singularResource: 'thing', verbs: ['get'] }

/** Answers with the aggregated document of some group versions, such as "a.example.com/v1". */
function respondAggregated(groupVersions: readonly string[], etag = '') {
  const items = groupVersions.map((groupVersion) => {
    const [groupName, version] = groupVersion.split('/')
    return { metadata: { name: groupName }, versions: [{ version, resources: [things] }] }
  })
  return {
    headers: { 'content-type': aggregatedTypes.split(',')[0]!, ...(etag !== '' && { etag }) },
    body: Buffer.from(JSON.stringify({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items })),
  }
}

const current = [{ version: 'v1', resources: [things], freshness: 'Current' }]
const stale = [{ version: 'v1', freshness: 'Stale' }]

it('reads the aggregated document of a server once for all of its APIServices', async () => {
  const other = 'v1.b.example.com'
  await using test = openDiscovery(() => respondAggregated([`${group}/v1`, 'b.example.com/v1', 'apps/v1']), name, other)
  await test.controller.readAll()
  const before = test.servers.requests.length
  expect([test.read(), test.read('b.example.com'), test.read('apps')]).toEqual([current, current, undefined])
  expect(test.servers.requests[0]).toMatchObject({
    path: '/apis',
    timeoutMs: 5000,
    headers: { accept: aggregatedTypes, 'X-Remote-User': 'system:kube-aggregator', 'X-Remote-Group': 'system:masters' },
  })
  // After a minute, one of the two reads the document again.
  test.servers.respond = () => respondAggregated([`${group}/v1`])
  await test.clock.pass(59_999)
  expect(test.servers.requests.length).toBe(before)
  await test.clock.pass(1)
  expect(test.servers.requests.length - before).toBe(1)
  expect([test.read(), test.read('b.example.com')]).toEqual([current, [{ version: 'v1', freshness: 'Current' }]])
})

it('keeps the document while its server says that it has not changed', async () => {
  await using test = openDiscovery(() => respondAggregated([`${group}/v1`], '"1"'), name)
  await test.controller.readAll()
  test.servers.respond = () => ({ status: 304 })
  await test.clock.pass(60_000)
  expect(test.servers.requests.at(-1)!.headers).toMatchObject({ 'If-None-Match': '"1"' })
  expect(test.read()).toEqual(current)
})

it('reads the list of resources of a server without aggregated discovery', async () => {
  const resource = { name: 'things', singularName: 'thing', namespaced: false, kind: 'Thing', verbs: ['get'] }
  const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/v1`, resources: [resource] }
  await using test = openDiscovery(
    ({ path }) => (path === `/apis/${group}/v1` ? { body: Buffer.from(JSON.stringify(list)) } : { status: 406 }),
    name,
  )
  await test.controller.readAll()
  expect(test.servers.requests.map(({ path }) => path)).toEqual(['/apis', `/apis/${group}/v1`])
  expect(test.read()).toEqual(current)
})

it.each<[string, TestResponder]>([
  ['does not answer', () => new Error('EOF')],
  ['is unavailable', () => ({ status: 503 })],
  ['sends a broken document', () => ({ ...respondAggregated([`${group}/v1`]), body: Buffer.from('{"items":7}') })],
  ['has neither document', () => ({ status: 404 })],
])('lists a version as stale while its server %s, and tries again with backoff of at most a minute', async (_name, respond) => {
  await using test = openDiscovery(respond, name)
  await test.controller.readAll()
  await test.clock.pass(0)
  expect(test.read()).toEqual(stale)
  const times: number[] = []
  test.servers.respond = (request) => {
    if (request.path === '/apis') times.push(test.clock.now())
    return respond(request)
  }
  await test.clock.pass(300_000)
  const delays = times.slice(1).map((time, i) => time - times[i]!)
  for (const [i, delay] of delays.entries()) if (i > 0) expect(delay).toBe(Math.min(delays[i - 1]! * 2, 60_000))
  expect(delays.at(-1)).toBe(60_000)
  test.servers.respond = () => respondAggregated([`${group}/v1`])
  await test.clock.pass(60_000)
  expect(test.read()).toEqual(current)
})

it('lists the versions of a group by their priorities, and removes deleted ones', async () => {
  await using test = openDiscovery(() => respondAggregated([`${group}/v1`, `${group}/v2`]))
  test.index.set(name, { versionPriority: 10 })
  test.index.set(`v2.${group}`, { version: 'v2', versionPriority: 5 })
  await test.clock.pass(0)
  const listVersions = (): unknown => (test.read() as { version: string }[] | undefined)?.map(({ version }) => version)
  expect(listVersions()).toEqual(['v1', 'v2'])
  test.index.set(`v2.${group}`, { versionPriority: 20 })
  await test.clock.pass(0)
  expect(listVersions()).toEqual(['v2', 'v1'])
  test.index.delete(`v2.${group}`)
  await test.clock.pass(0)
  expect(listVersions()).toEqual(['v1'])
  // An APIService without a service is not one of another server.
  test.index.set(name, { service: undefined })
  await test.clock.pass(0)
  expect(test.read()).toBeUndefined()
})

it('drops a document that arrives after its APIService was replaced', async () => {
  const answers: (() => void)[] = []
  await using test = openDiscovery(
    () => new Promise<never>((resolve) => answers.push(() => resolve(respondAggregated([`${group}/v1`]) as never))),
  )
  test.index.set(name)
  await test.clock.pass(0)
  test.index.delete(name)
  test.index.set(name, { uid: 'other' })
  test.servers.respond = () => ({ status: 503 })
  answers[0]!()
  await test.clock.pass(0)
  expect(test.read()).toEqual(stale)
})
