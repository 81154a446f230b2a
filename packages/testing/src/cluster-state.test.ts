import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KeelsonCluster } from './cluster.ts'
import { startKeelson } from './start-keelson.ts'
import { widgetManifests } from './widgets.fixture.ts'

let cluster: KeelsonCluster
beforeAll(async () => {
  cluster = await startKeelson({ manifests: widgetManifests })
})
afterAll(() => cluster.close())

const listNames = async (one: KeelsonCluster): Promise<readonly unknown[]> =>
  (await one.resource('configmaps', { namespace: 'default' }).list()).items.map(({ metadata }) => metadata.name)
const create = (one: KeelsonCluster, name: string): Promise<unknown> => one.resource('configmaps').create({ metadata: { name } })
const createBinding = (group: string): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: group },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
})

describe('fork', () => {
  test('has all objects, and does not share changes and watches', async () => {
    await create(cluster, 'shared')
    await using fork = await cluster.fork()
    expect(await listNames(fork)).toEqual(['kube-root-ca.crt', 'shared'])
    expect(await fork.resource('widgets.example.com').get('first')).toMatchObject({ spec: { size: 3 } })

    const watch = cluster.resource('configmaps', { namespace: 'default' }).watch({ fieldSelector: 'metadata.name!=kube-root-ca.crt' })
    expect((await watch.next()).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'shared' } } })
    await create(fork, 'in-fork')
    await fork.resource('configmaps').delete('shared')
    await create(cluster, 'in-origin')
    expect((await watch.next()).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'in-origin' } } })
    expect(await listNames(cluster)).toEqual(['in-origin', 'kube-root-ca.crt', 'shared'])
    expect(await listNames(fork)).toEqual(['in-fork', 'kube-root-ca.crt'])
    await watch.return()
  })

  test('has exactly the objects of its origin, also if bootstrap objects were changed', async () => {
    await using origin = await startKeelson({ controllers: ['none'] })
    await origin.resource('clusterroles.rbac.authorization.k8s.io').delete('view')
    await using fork = await origin.fork()
    expect((await fork.fetch('/apis/rbac.authorization.k8s.io/v1/clusterroles/view')).status).toBe(404)
    const { metadata } = await origin.resource('namespaces').list()
    expect((await fork.resource('namespaces').list()).metadata).toEqual(metadata)
  })

  test('outlives its origin', async () => {
    const origin = await startKeelson({ controllers: ['none'] })
    await create(origin, 'a')
    const fork = await origin.fork()
    await origin.close()
    await create(fork, 'b')
    expect(await listNames(fork)).toEqual(['a', 'b'])
    await fork.close()
  })
})

describe('reset', () => {
  test('restores the objects after the start, and keeps watches', async () => {
    await cluster.reset()
    const before = await cluster.resource('configmaps').list()
    const widget = await cluster.resource('widgets.example.com').get('first')
    await create(cluster, 'new')
    await cluster.resource('widgets.example.com').delete('first')
    await cluster.resource('namespaces').create({ metadata: { name: 'new' } })
    const { resourceVersion } = (await cluster.resource('configmaps').list()).metadata
    const watch = cluster.resource('configmaps', { namespace: 'default' }).watch({ resourceVersion: resourceVersion! })
    await cluster.reset()
    expect((await watch.next()).value).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'new' } } })
    expect(await listNames(cluster)).toEqual(['kube-root-ca.crt'])
    expect((await cluster.resource('configmaps').list()).items).toEqual(before.items)
    expect((await cluster.resource('widgets.example.com').get('first')).metadata).toMatchObject({ uid: widget.metadata.uid })
    await expect(cluster.resource('namespaces').get('new')).rejects.toMatchObject({ reason: 'NotFound' })
    await watch.return()
  })

  test('takes effect for permissions and definitions at once', async () => {
    for (let round = 0; round < 10; round++) {
      const group = `group-${round}`
      await cluster.apply([createBinding(group), widgetManifests.replaceAll('widget', 'gadget').replaceAll('Widget', 'Gadget')])
      const alice = cluster.as('alice', { groups: [group] })
      expect((await alice.fetch('/api/v1/secrets')).status).toBe(200)
      expect((await cluster.fetch('/apis/example.com/v1/gadgets')).status).toBe(200)
      await cluster.reset()
      expect((await alice.fetch('/api/v1/secrets')).status).toBe(403)
      expect((await cluster.fetch('/apis/example.com/v1/gadgets')).status).toBe(404)
      expect((await cluster.fetch('/apis/example.com/v1/widgets')).status).toBe(200)
    }
  })

  test('restores what controllers wrote for the manifests, and takes few writes', async () => {
    const listApiServices = async (): Promise<unknown[]> =>
      (await cluster.resource('apiservices.apiregistration.k8s.io').list()).items.map(({ metadata }) => metadata.name)
    await cluster.apply(
      widgetManifests.replaceAll('widget', 'gadget').replaceAll('Widget', 'Gadget').replaceAll('example.com', 'other.org'),
    )
    await expect.poll(listApiServices, { timeout: 20_000 }).toContain('v1.other.org')
    const readRevision = async (): Promise<number> => Number((await cluster.resource('configmaps').list()).metadata.resourceVersion)
    const before = await readRevision()
    await cluster.reset()
    const after = await readRevision()
    expect(after - before).toBeLessThan(10)
    expect(await listApiServices()).toContain('v1.example.com')
    expect(await listApiServices()).not.toContain('v1.other.org')
    // Nothing is left to do for the controllers.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await readRevision()).toBe(after)
  })

  test('restores two thousand objects with their dependents', async () => {
    await using large = await startKeelson({ manifests: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } } })
    const { uid = '' } = (await large.resource('configmaps').get('owner')).metadata
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }]
    const count = 2000
    for (let i = 0; i < count; i++) await large.resource('configmaps').create({ metadata: { name: `owned-${i}`, ownerReferences } })
    const filled = large.snapshot()
    await large.reset()
    expect(await listNames(large)).toEqual(['kube-root-ca.crt', 'owner'])
    await large.restore(filled)
    expect(await listNames(large)).toHaveLength(count + 2)
    await large.reset()
    expect(await listNames(large)).toEqual(['kube-root-ca.crt', 'owner'])
  })

  test('removes what controllers write for the replaced objects', async () => {
    for (let round = 0; round < 10; round++) {
      // The controllers create objects in the namespaces while they are removed.
      await Promise.all([1, 2, 3, 4].map((i) => cluster.resource('namespaces').create({ metadata: { name: `n${i}` } })))
      await cluster.reset()
      const leftOver = [...(await cluster.resource('serviceaccounts').list()).items, ...(await cluster.resource('configmaps').list()).items]
      expect(leftOver.filter(({ metadata }) => metadata.namespace?.startsWith('n')).map(({ metadata }) => metadata)).toEqual([])
    }
  })
})

test('a snapshot can be restored, also in another cluster', async () => {
  await cluster.reset()
  await create(cluster, 'kept')
  const snapshot = cluster.snapshot()
  await cluster.resource('configmaps').delete('kept')
  await using other = await startKeelson({ controllers: ['none'] })
  await other.restore(snapshot)
  expect(await listNames(other)).toEqual(['kept', 'kube-root-ca.crt'])
  expect(await listNames(cluster)).toEqual(['kube-root-ca.crt'])
  await cluster.restore(snapshot)
  expect(await listNames(cluster)).toEqual(['kept', 'kube-root-ca.crt'])
})

test('a pod can be created right after the start, because the service account exists', async () => {
  await using other = await startKeelson()
  const pod = await other.resource('pods').create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
  expect(pod.spec).toMatchObject({ serviceAccountName: 'default' })
})
