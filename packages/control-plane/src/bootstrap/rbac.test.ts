import type { ClusterRole, ClusterRoleBinding, RoleBinding } from '@keelson/api/rbac/v1'
import type { KubeObject } from '@keelson/apimachinery'
import type { LoopbackResource } from '@keelson/loopback'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServerChain } from '../server-chain.ts'
import { startChain } from '../start-chain.fixture.ts'
import { createBootstrapRoles } from './rbac.ts'

const apiGroup = 'rbac.authorization.k8s.io'

let chain: ServerChain
beforeAll(async () => void (chain = await startChain()))
afterAll(() => chain.close())

const requireResource = <T extends KubeObject>(name: string): LoopbackResource<T> =>
  chain.client.resource<T>({ group: apiGroup, resource: name })!
const findClusterRoles = () => requireResource<ClusterRole>('clusterroles')
const findClusterRoleBindings = () => requireResource<ClusterRoleBinding>('clusterrolebindings')
const getRole = async (name: string) => findClusterRoles().get('', name, { resourceVersion: '' })
const getBinding = async (name: string) => findClusterRoleBindings().get('', name, { resourceVersion: '' })

/** Returns the resource versions of all roles and bindings. */
async function readVersions(): Promise<Record<string, string | undefined>> {
  const allVersions: [string, string | undefined][] = []
  for (const name of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']) {
    const { items } = await requireResource(name).list({ resourceVersion: '' })
    for (const { metadata } of items) allVersions.push([`${name}/${metadata.namespace ?? ''}/${metadata.name}`, metadata.resourceVersion])
  }
  return Object.fromEntries(allVersions)
}

test('creates the built-in roles and bindings, and a second start writes nothing', async () => {
  const oldVersions = await readVersions()
  expect(Object.keys(oldVersions)).toHaveLength(69 + 50 + 7 + 7)
  await createBootstrapRoles(chain.client)
  expect(await readVersions()).toEqual(oldVersions)
})

test('adds missing rules and subjects, and keeps additional rules and subjects', async () => {
  const extra = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] }
  await findClusterRoles().update('', 'system:kube-dns', (object) => ({
    ...object,
    metadata: { ...object.metadata, labels: { own: 'label' } },
    rules: [extra, { verbs: ['list'], apiGroups: [''], resources: ['endpoints', 'services'] }],
  }))
  await findClusterRoleBindings().update('', 'system:kube-dns', (object) => ({
    ...object,
    subjects: [{ kind: 'User', apiGroup, name: 'eve' }],
  }))
  await createBootstrapRoles(chain.client)
  expect(await getRole('system:kube-dns')).toMatchObject({
    metadata: { labels: { own: 'label', 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
    rules: [
      extra,
      { verbs: ['list'], resources: ['endpoints', 'services'] },
      { verbs: ['watch'], apiGroups: [''], resources: ['endpoints'] },
      { verbs: ['watch'], apiGroups: [''], resources: ['services'] },
    ],
  })
  const account = { kind: 'ServiceAccount', name: 'kube-dns', namespace: 'kube-system' }
  expect((await getBinding('system:kube-dns'))?.subjects).toEqual([expect.objectContaining({ name: 'eve' }), account])
})

test('does not change objects with automatic updates disabled', async () => {
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' }
  const protect = <T extends KubeObject>(object: T): T => ({ ...object, metadata: { ...object.metadata, annotations } })
  await findClusterRoles().update('', 'system:heapster', (object) => ({ ...protect(object), rules: [] }))
  await findClusterRoleBindings().update('', 'system:discovery', (object) => ({ ...protect(object), subjects: [] }))
  await createBootstrapRoles(chain.client)
  expect((await getRole('system:heapster'))?.rules ?? []).toEqual([])
  expect((await getBinding('system:discovery'))?.subjects ?? []).toEqual([])
})

test('replaces a binding to another role, whose role cannot be changed', async () => {
  const bindings = requireResource<RoleBinding>('rolebindings')
  const name = 'system:controller:token-cleaner'
  await bindings.delete('kube-system', name)
  const roleRef = { apiGroup, kind: 'Role', name: 'other' }
  await bindings.create('kube-system', { metadata: { name }, roleRef })
  await createBootstrapRoles(chain.client)
  expect(await bindings.get('kube-system', name, { resourceVersion: '' })).toMatchObject({
    roleRef: { kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name: 'token-cleaner' }],
  })
})

test('copies rules and subjects from clusters of older versions', async () => {
  const custom = { verbs: ['get'], apiGroups: ['example.com'], resources: ['old'] }
  await findClusterRoles().delete('', 'system:aggregate-to-edit')
  await findClusterRoles().update('', 'edit', ({ metadata }) => ({ metadata, rules: [custom] }))
  await findClusterRoleBindings().delete('', 'system:public-info-viewer')
  await findClusterRoleBindings().update('', 'system:discovery', (object) => ({
    ...object,
    subjects: [{ kind: 'Group', apiGroup, name: 'readers' }],
    metadata: { ...object.metadata, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
  }))
  await createBootstrapRoles(chain.client)
  expect((await getRole('edit'))?.aggregationRule).toBeDefined()
  const aggregatedRules = (await getRole('system:aggregate-to-edit'))?.rules ?? []
  expect(aggregatedRules[0]).toEqual(custom)
  expect(aggregatedRules.length).toBeGreaterThan(10)
  expect(await getBinding('system:public-info-viewer')).toMatchObject({
    roleRef: { name: 'system:public-info-viewer' },
    subjects: [{ kind: 'Group', name: 'readers' }],
  })
})
