import { afterAll, beforeAll, expect, it } from 'vitest'
import { DiscoveryRegistry, installAPIGroup } from '../index.ts'
import { computeStorageVersionHash } from './discovery-version.ts'
import { openTestServer } from '../test-server.fixture.ts'
import type { TestServer } from '../test-server.fixture.ts'

let server: TestServer
const discovery = new DiscoveryRegistry()
beforeAll(async () => {
  server = await openTestServer({ discovery, serverAddress: () => '10.0.0.1:6443' })
})
afterAll(() => server[Symbol.asyncDispose]())

it('hashes the storage version like kube-apiserver', () => {
  expect(computeStorageVersionHash({ group: '', version: 'v1', kind: 'ConfigMap' })).toBe('qFsyl6wFWjQ=')
})

it('lists versions and resources', async () => {
  expect((await server.request('GET', '/api')).body).toEqual({
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '10.0.0.1:6443' }],
  })
  const { kind, groupVersion, apiVersion, resources } = (await server.request('GET', '/api/v1')).body
  expect({ kind, groupVersion, apiVersion }).toEqual({ kind: 'APIResourceList', groupVersion: 'v1', apiVersion: undefined })
  expect(resources[0]).toEqual({
    name: 'configmaps',
    singularName: 'configmap',
    namespaced: true,
    kind: 'ConfigMap',
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['cm'],
    storageVersionHash: 'qFsyl6wFWjQ=',
  })
  expect(resources.find(({ name }: { name: string }) => name === 'namespaces/status')).toEqual({
    name: 'namespaces/status',
    singularName: '',
    namespaced: false,
    kind: 'Namespace',
    verbs: ['get', 'patch', 'update'],
  })
  expect((await server.request('GET', '/apis')).body).toEqual({ kind: 'APIGroupList', apiVersion: 'v1', groups: [] })
  expect((await server.request('DELETE', '/apis')).status).toBe(200)
  expect((await server.request('DELETE', '/api')).status).toBe(405)
  expect((await server.request('GET', '/apis/none')).text).toBe('404 page not found\n')
  expect((await server.request('GET', '/api/v9')).body).toMatchObject({ code: 404, reason: 'NotFound' })
})

it('serves the aggregated document if the client requests it, and 304 the second time', async () => {
  const accept =
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json'
  const answer = await server.request('GET', '/api', undefined, { accept })
  expect(answer.headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList')
  expect(answer.body.items[0].versions[0]).toMatchObject({ version: 'v1', freshness: 'Current' })
  expect(answer.body.items[0].versions[0].resources[1].subresources[1]).toEqual({
    subresource: 'status',
    responseKind: { group: '', version: '', kind: 'Namespace' },
    verbs: ['get', 'patch', 'update'],
  })
  const secondAnswer = await server.request('GET', '/api', undefined, { accept, 'if-none-match': answer.headers.etag! })
  expect([secondAnswer.status, secondAnswer.text]).toEqual([304, ''])
})

it('adds and removes groups while serving', async () => {
  const gv = { group: 'example.com', version: 'v1' }
  const storage = new Map([['v1', new Map([['configmaps', server.group.storage.get('v1')!.get('configmaps')!]])]])
  const installed = installAPIGroup(server.app, { ...server.group, group: gv.group, versions: [gv], storage })
  expect((await server.request('GET', '/apis/example.com')).body).toMatchObject({
    kind: 'APIGroup',
    name: 'example.com',
    preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' },
  })
  expect((await server.request('GET', '/apis/example.com/v1/namespaces/x/configmaps')).status).toBe(200)
  installed.uninstall()
  expect((await server.request('GET', '/apis/example.com/v1/namespaces/x/configmaps')).text).toBe('404 page not found\n')
  expect((await server.request('GET', '/apis')).body.groups).toEqual([])
})

it('lists custom resources with the verbs and subresources in the order of kube-apiserver', async () => {
  const gv = { group: 'example.com', version: 'v1' }
  const core = server.group.storage.get('v1')!
  const gvk = { value: { ...gv, kind: 'Widget' } }
  const custom = Object.create(core.get('configmaps')!, { gvk, isCustom: { value: true } })
  const common = Object.create(core.get('configmaps')!, { gvk })
  const part = core.get('namespaces/status')!
  const paths = ['widgets/scale', 'widgets/status', 'gadgets'].map((path) => [path, path === 'gadgets' ? common : part] as const)
  const storage = new Map([['v1', new Map([...paths, ['widgets', custom] as const])]])
  const installed = installAPIGroup(server.app, { ...server.group, group: gv.group, versions: [gv], storage })
  const { resources } = (await server.request('GET', '/apis/example.com/v1')).body
  expect(resources.map(({ name }: { name: string }) => name)).toEqual(['gadgets', 'widgets', 'widgets/status', 'widgets/scale'])
  expect(resources[1].verbs).toEqual(['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'])
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const [gadgets, widgets] = (await server.request('GET', '/apis', undefined, { accept })).body.items[0].versions[0].resources
  expect(gadgets.responseKind).toEqual({ group: '', version: '', kind: 'Widget' })
  expect(widgets.responseKind).toEqual({ group: 'example.com', version: 'v1', kind: 'Widget' })
  // As in kube-apiserver, unknown paths of custom groups are answered like those of unknown groups.
  expect((await server.request('GET', '/apis/example.com/v1/others')).body).toMatchObject({ kind: 'Status', code: 404 })
  const onlyCustom = new Map([['v1', new Map([['widgets', custom]])]])
  const otherGroup = installAPIGroup(server.app, {
    ...server.group,
    group: 'only.example.com',
    versions: [{ group: 'only.example.com', version: 'v1' }],
    storage: onlyCustom,
  })
  expect((await server.request('GET', '/apis/only.example.com/v1/others')).text).toBe('404 page not found\n')
  const namespaced = '/apis/only.example.com/v1/namespaces/a'
  expect((await server.request('GET', `${namespaced}/widgets/x/status`)).body.message).toBe('widgets.only.example.com "x" not found')
  expect((await server.request('GET', `${namespaced}/others/x/status`)).text).toBe('404 page not found\n')
  otherGroup.uninstall()
  expect(widgets.subresources.map(({ subresource }: { subresource: string }) => subresource)).toEqual(['status', 'scale'])
  installed.uninstall()
})

it('sorts groups with the same priority by name, or by their services', () => {
  const registry = new DiscoveryRegistry()
  const add = (name: string, priority: number, ...versions: string[]) =>
    registry.addGroup({ name, priority, versions: versions.map((version) => ({ version, resources: [] })) })
  add('c.example.com', 1000, 'v1')
  add('a.example.com', 1000, 'v2', 'v2beta1')
  add('z.example.com', 2000, 'v1')
  const remove = add('b.example.com', 1000, 'v2', 'v1')
  const listNames = (order: 'name' | 'service') =>
    registry
      .groups(order)
      .map(({ name }) => name.slice(0, 1))
      .join('')
  expect([listNames('name'), listNames('service')]).toEqual(['zabc', 'zbca'])
  remove()
  expect([listNames('name'), listNames('service')]).toEqual(['zac', 'zca'])
})
