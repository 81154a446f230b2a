import { newForbidden } from '@keelson/apimachinery'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { clientNode, hasClientNode } from './client-node.fixture.ts'
import type { KeelsonCluster } from './cluster.ts'
import type { Fault } from './faults.ts'
import { startKeelson } from './start-keelson.ts'

const { CoreV1Api, KubeConfig } = clientNode

let cluster: KeelsonCluster
beforeAll(async () => {
  cluster = await startKeelson({ controllers: ['none'] })
})
afterAll(() => cluster.close())
afterEach(async () => {
  cluster.faults.clear()
  cluster.requests.clear()
  await cluster.reset()
})

const maps = '/api/v1/namespaces/default/configmaps'

test.each<[Fault, number, string]>([
  ['conflict', 409, 'Conflict'],
  ['expired', 410, 'Expired'],
  ['internal-error', 500, 'InternalError'],
  ['timeout', 504, 'Timeout'],
  ['too-many-requests', 429, 'TooManyRequests'],
  ['unavailable', 503, 'ServiceUnavailable'],
  [newForbidden({ group: '', resource: 'configmaps' }, 'a', 'a test'), 403, 'Forbidden'],
])('%s is answered once, and the next request is served', async (fault, code, reason) => {
  cluster.faults.next({ verb: 'list', resource: 'configmaps' }, fault)
  const response = await cluster.fetch(maps)
  expect([response.status, await response.json()]).toEqual([code, expect.objectContaining({ kind: 'Status', reason, code })])
  expect(response.headers.get('retry-after')).toBe(code === 429 || code === 504 ? '1' : null)
  expect((await cluster.fetch(maps)).status).toBe(200)
  expect(cluster.faults.pending).toBe(0)
})

test.skipIf(!hasClientNode)('hits only requests that match, as often as planned, and in the order of the plan', async () => {
  const core = cluster.kubeConfig(KubeConfig).makeApiClient(CoreV1Api)
  cluster.faults.next({ verb: 'create', resource: 'configmaps', namespace: 'default', times: 2 }, 'unavailable')
  cluster.faults.next(({ verb, user }) => verb === 'create' && user === 'kubernetes-admin', 'conflict')
  const create = (namespace: string): Promise<unknown> =>
    core.createNamespacedConfigMap({ namespace, body: { metadata: { generateName: 'm-' } } }).then(
      () => 201,
      ({ code }: { code: number }) => code,
    )
  expect((await core.listNamespacedConfigMap({ namespace: 'default' })).items).toEqual([])
  expect(await create('kube-public')).toBe(409)
  expect(cluster.faults.pending).toBe(2)
  expect([await create('default'), await create('default'), await create('default')]).toEqual([503, 503, 201])
  expect(() => cluster.faults.next({ times: 0 }, 'drop')).toThrow('times: 0 must be greater than 0')
})

test('does not hit and does not log requests of the test itself', async () => {
  cluster.faults.next({}, 'drop')
  await cluster.resource('configmaps').create({ metadata: { name: 'm' } })
  await cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n' } })
  await cluster.waitFor({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n' } }, 'exists')
  expect(cluster.faults.pending).toBe(1)
  expect([...cluster.requests]).toEqual([])
})

test.skipIf(!hasClientNode)('drops a connection, in process and at the port', async () => {
  cluster.faults.next({ resource: 'configmaps', times: 2 }, 'drop')
  await expect(cluster.fetch(maps)).rejects.toThrow()
  const config = new KubeConfig()
  config.loadFromString(await cluster.kubeconfig())
  const core = config.makeApiClient(CoreV1Api)
  await expect(core.listNamespacedConfigMap({ namespace: 'default' })).rejects.toThrow()
  expect((await core.listNamespacedConfigMap({ namespace: 'default' })).items).toEqual([])
  expect(cluster.requests.find({ resource: 'configmaps' }).map(({ code }) => code)).toEqual([undefined, undefined, 200])
})

test('delays a request', async () => {
  cluster.faults.next({ verb: 'list' }, { delayMs: 50 })
  const began = performance.now()
  expect((await cluster.fetch(maps)).status).toBe(200)
  expect(performance.now() - began).toBeGreaterThan(45)
})

test('cuts open watches', async () => {
  const readAll = async (path: string): Promise<unknown> => (await cluster.fetch(path)).text()
  const first = readAll(`${maps}?watch=1`)
  const other = await cluster.fetch('/api/v1/secrets?watch=1')
  while (cluster.requests.find({ verb: 'watch' }).length < 2) await new Promise((resolve) => setImmediate(resolve))
  expect(cluster.faults.cutWatches({ resource: 'configmaps' })).toBe(1)
  await expect(first).rejects.toThrow()
  expect(cluster.faults.cutWatches({ resource: 'configmaps' })).toBe(0)
  await other.body!.cancel()
})

test('logs the requests of clients', async () => {
  const alice = cluster.as('alice', { groups: ['system:masters'] })
  await alice.fetch('/apis/apps/v1/namespaces/default/deployments/web/status', { headers: { 'user-agent': 'operator/1' } })
  await cluster.fetch('/version')
  expect([...cluster.requests]).toMatchObject([
    {
      verb: 'get',
      resource: 'deployments.apps',
      subresource: 'status',
      namespace: 'default',
      name: 'web',
      user: 'alice',
      userAgent: 'operator/1',
      path: '/apis/apps/v1/namespaces/default/deployments/web/status',
      code: 404,
    },
    expect.objectContaining({ verb: 'get', resource: '', path: '/version', code: 200 }),
  ])
  expect(cluster.requests.find({ user: 'alice' })).toHaveLength(1)
  cluster.requests.clear()
  expect(cluster.requests.find()).toEqual([])
})
