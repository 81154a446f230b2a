import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientNode, hasClientNode } from './client-node.fixture.ts'
import type { KeelsonCluster } from './cluster.ts'
import { startKeelson } from './start-keelson.ts'

const { CoreV1Api, KubeConfig, Watch } = clientNode

let cluster: KeelsonCluster
beforeAll(async () => {
  cluster = await startKeelson()
})
afterAll(() => cluster.close())

describe('a cluster', () => {
  test('serves requests in process, without a socket', async () => {
    const response = await cluster.fetch('/api/v1/namespaces/default')
    expect(await response.json()).toMatchObject({ kind: 'Namespace', metadata: { name: 'default' } })
    expect(cluster.url).toBeUndefined()
    expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap')
  })

  test('runs controllers: a namespace gets a service account, and ends when it is deleted', async () => {
    await cluster.resource('namespaces').create({ metadata: { name: 'short-lived' } })
    await cluster.resource('serviceaccounts', { namespace: 'short-lived' }).waitFor('default', 'exists')
    await cluster.resource('configmaps', { namespace: 'short-lived' }).create({ metadata: { name: 'inside' } })
    await cluster.resource('namespaces').delete('short-lived')
    await cluster.resource('namespaces').waitFor('short-lived', 'deleted')
    expect((await cluster.resource('configmaps', { namespace: 'short-lived' }).list()).items).toEqual([])
  })

  test.skipIf(!hasClientNode)('opens a port when a kubeconfig is asked for', async () => {
    await using other = await startKeelson({ controllers: ['none'] })
    const config = new KubeConfig()
    config.loadFromString(await other.as('alice', { groups: ['system:masters'] }).kubeconfig())
    expect(config.getCurrentCluster()?.server).toBe(other.url)
    const { items } = await config.makeApiClient(CoreV1Api).listNamespace()
    expect(items.map(({ metadata }) => metadata?.name)).toContain('kube-system')
  })

  test('closes once, and ends open watches', async () => {
    const other = await startKeelson({ controllers: ['none'] })
    const watch = other.resource('configmaps').watch()
    const next = watch.next()
    await Promise.all([other.close(), other.close()])
    expect(await next).toEqual({ done: true, value: undefined })
  })
})

describe.skipIf(!hasClientNode)('KubeConfig of client-node', () => {
  test('API clients and watches are served in process', async () => {
    const config = cluster.kubeConfig(KubeConfig)
    const core = config.makeApiClient(CoreV1Api)
    await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'typed' }, data: { a: 'b' } } })
    expect((await core.readNamespacedConfigMap({ namespace: 'default', name: 'typed' })).data).toEqual({ a: 'b' })
    await expect(core.readNamespacedConfigMap({ namespace: 'default', name: 'absent' })).rejects.toMatchObject({ code: 404 })

    const eventTypes: string[] = []
    let finish!: () => void
    const ended = new Promise<void>((resolve) => (finish = resolve))
    const controller = await new Watch(config).watch(
      '/api/v1/namespaces/default/configmaps',
      { fieldSelector: 'metadata.name=typed' },
      (type: string) => {
        eventTypes.push(type)
        if (type === 'DELETED') controller.abort()
      },
      finish,
    )
    await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'typed' })
    await ended
    expect(eventTypes).toEqual(['ADDED', 'DELETED'])
    expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap')
  })

  test('has the permissions of its user', async () => {
    const core = cluster.as('nobody').kubeConfig(KubeConfig).makeApiClient(CoreV1Api)
    await expect(core.listNamespace()).rejects.toMatchObject({ code: 403 })
  })
})

describe('users', () => {
  test('a user has the permissions of RBAC only', async () => {
    const alice = cluster.as('alice', { groups: ['dev'] })
    await expect(alice.resource('secrets').list()).rejects.toMatchObject({
      reason: 'Forbidden',
      message: expect.stringContaining('"alice"'),
    })
    await cluster.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: dev-reads-secrets }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: Group, name: dev }]
`)
    expect((await alice.resource('secrets').list()).items).toEqual([])
  })

  test('a service account has its name and groups', async () => {
    const builder = cluster.asServiceAccount('builder', { namespace: 'ci' })
    const response = await builder.fetch('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}',
    })
    expect(await response.json()).toMatchObject({
      status: {
        userInfo: {
          username: 'system:serviceaccount:ci:builder',
          groups: ['system:serviceaccounts', 'system:serviceaccounts:ci', 'system:authenticated'],
        },
      },
    })
  })
})
