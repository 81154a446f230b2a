import type { APIResourceDiscovery } from '@keelson/api/apidiscovery/v2'
import { expect, it } from 'vitest'
import { TestIndex, TestServers } from '../api-services.fixture.ts'
import type { TestResponder } from '../api-services.fixture.ts'
import { listRemoteContent } from './remote-content.ts'
import type { RemoteContent } from './remote-content.ts'

const path = '/apis/a.example.com/v1/namespaces/ns/things'
const background = { propagationPolicy: 'Background' } as const
const kind = { group: '', version: '', kind: 'Thing' }

function createResource(resource: string, verbs: readonly string[], scope = 'Namespaced'): APIResourceDiscovery {
  return { resource, responseKind: kind, scope, singularResource: '', verbs: [...verbs] }
}

const things = createResource('things', ['get', 'list', 'delete', 'deletecollection'])

function listContent(
  servers: TestServers,
  resources: Readonly<Record<string, readonly APIResourceDiscovery[] | undefined>>,
): RemoteContent {
  const index = new TestIndex()
  const discovered = Object.entries(resources).map(([name, listed], i) => {
    index.set(name, { versionPriority: 10 + i })
    return { record: index.get(name)!, resources: listed }
  })
  return listRemoteContent({ discovered, findClient: servers.findClient })
}

const openThings = (respond: TestResponder): { readonly servers: TestServers; readonly resource: RemoteContent['resources'][number] } => {
  const servers = new TestServers(respond)
  return { servers, resource: listContent(servers, { 'v1.a.example.com': [things] }).resources[0]! }
}
const respondJson = (value: object, status = 200): ReturnType<TestResponder> => ({ status, body: Buffer.from(JSON.stringify(value)) })
const createStatus = (code: number, reason: string, message: string): ReturnType<TestResponder> =>
  respondJson({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code }, code)

it('lists namespaced resources that support deletion, once for each group, and group versions whose resources are unknown', () => {
  const content = listContent(new TestServers(() => ({})), {
    'v1beta1.a.example.com': [things, createResource('nodes', ['delete'], 'Cluster'), createResource('pods', ['get', 'list'])],
    'v1.a.example.com': [things],
    'v1.b.example.com': undefined,
  })
  expect(content.resources.map(({ group, version, resource }) => `${group}/${version}/${resource}`)).toEqual(['a.example.com/v1/things'])
  expect([...content.failures]).toEqual([['b.example.com/v1', 'stale GroupVersion discovery: b.example.com/v1']])
})

it('deletes a collection as the API server', async () => {
  const { servers, resource } = openThings(() => respondJson({ kind: 'Status', status: 'Success' }))
  await resource.deleteCollection('ns', background)
  expect(servers.requests).toMatchObject([
    {
      name: 'v1.a.example.com',
      method: 'DELETE',
      path,
      body: '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}',
      headers: { 'X-Remote-User': 'system:apiserver', 'X-Remote-Group': 'system:masters', 'content-type': 'application/json' },
    },
  ])
})

it('lists in pages, and deletes one object after the other if the server deletes no collections', async () => {
  const respond: TestResponder = ({ method, path: requested = '' }) => {
    if (method === 'DELETE' && requested === path) return createStatus(405, 'MethodNotAllowed', 'no')
    if (method === 'DELETE') return createStatus(404, 'NotFound', 'gone')
    if (requested === `${path}?limit=100`) return respondJson({ metadata: { continue: 'a b' }, items: [{ metadata: { name: 'x' } }] })
    return respondJson({ metadata: {}, items: [{ metadata: { name: 'y', finalizers: ['f'] } }] })
  }
  const { servers, resource } = openThings(respond)
  await resource.deleteCollection('ns', background)
  expect(servers.requests.map(({ method, path: requested }) => `${method} ${requested}`)).toEqual([
    `DELETE ${path}`,
    `GET ${path}?limit=100`,
    `GET ${path}?limit=100&continue=a%20b`,
    `DELETE ${path}/x`,
    `DELETE ${path}/y`,
  ])
  expect((await resource.list({ namespace: 'ns' })).items).toEqual([
    { metadata: { name: 'x' } },
    { metadata: { name: 'y', finalizers: ['f'] } },
  ])
})

it('lists nothing of a resource that its server no longer serves', async () => {
  const { resource } = openThings(() => createStatus(404, 'NotFound', 'gone'))
  expect((await resource.list({ namespace: 'ns' })).items).toEqual([])
  await resource.deleteCollection('ns', background)
})

it.each<[string, TestResponder, string]>([
  ['a refusal', () => createStatus(403, 'Forbidden', 'not for you'), 'not for you'],
  ['a failed request', () => new Error('EOF'), 'EOF'],
  ['a list of another form', () => respondJson({ items: [7] }), 'the list of another API server has an invalid form'],
  ['broken JSON', () => ({ body: Buffer.from('{"items":') }), ''],
])('rejects for %s', async (_name, respond, message) => {
  const { resource } = openThings(respond)
  await expect(resource.list({ namespace: 'ns' })).rejects.toThrow(message)
})
