import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

const admin = { name: 'admin', groups: ['system:masters'] }
const ann = { name: 'ann', groups: ['dev', 'system:authenticated'] }
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const widgets = (namespace: string): string => `/apis/near.example.com/v1/namespaces/${namespace}/widgets`

interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- the shapes of these documents are part of the assertions
  readonly body: any
}

let chain: ServerChain
beforeAll(async () => {
  chain = await createServerChain({ controllers: ['*'], log: () => {} })
  await chain.start()
  await define('widgets', 'Widget')
  await define('owners', 'Owner')
})
afterAll(() => chain.close())

async function call(method: string, path: string, { body, user = admin }: { body?: object; user?: typeof admin } = {}): Promise<Answer> {
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }
  const answer = await chain.fetch(path, { method, user, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}

async function create(path: string, body: object): Promise<Answer['body']> {
  const answer = await call('POST', path, { body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

async function define(plural: string, kind: string): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  await create(definitions, {
    metadata: { name: `${plural}.near.example.com` },
    spec: {
      group: 'near.example.com',
      names: { plural, kind, categories: ['all'] },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
  await waitUntil(async () => (await call('GET', widgets('default').replace('widgets', plural))).status === 200)
}

const waitUntil = (isDone: () => Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await isDone()).toBe(true), { interval: 5, timeout: 10_000 })
const isGone = (path: string) => async (): Promise<boolean> => (await call('GET', path)).status === 404
const widget = (name: string, more: object = {}): object => ({
  apiVersion: 'near.example.com/v1',
  kind: 'Widget',
  metadata: { name, ...more },
})
const ownedBy = ({ apiVersion, kind, metadata: { name, uid } }: Answer['body']): object => ({
  ownerReferences: [{ apiVersion, kind, name, uid }],
})

it('deletes custom objects with their namespace, and refuses new ones meanwhile', async () => {
  await create('/api/v1/namespaces', { metadata: { name: 'going' } })
  await create(widgets('going'), widget('a', { finalizers: ['example.com/hold'] }))
  await create(widgets('going'), widget('b'))
  await call('DELETE', '/api/v1/namespaces/going')
  await waitUntil(isGone(`${widgets('going')}/b`))
  const refusal = await call('POST', widgets('going'), { body: widget('c') })
  expect([refusal.status, refusal.body.message]).toEqual([
    403,
    'widgets.near.example.com "c" is forbidden: unable to create new content in namespace going because it is being terminated',
  ])
  const reported = async () => {
    const { conditions = [] } = (await call('GET', '/api/v1/namespaces/going')).body.status
    return conditions.find(({ type }: { type: string }) => type === 'NamespaceContentRemaining')?.message as string | undefined
  }
  await waitUntil(async () => (await reported()) === 'Some resources are remaining: widgets.near.example.com has 1 resource instances')
  await call('PATCH', `${widgets('going')}/a`, { body: { metadata: { finalizers: null } } })
  await waitUntil(isGone(`${widgets('going')}/a`))
  const withoutNamespace = await call('POST', widgets('nowhere'), { body: widget('a') })
  expect([withoutNamespace.status, withoutNamespace.body.message]).toEqual([404, 'namespaces "nowhere" not found'])
})

it('collects the dependents of custom objects, and custom dependents', async () => {
  const owners = widgets('default').replace('widgets', 'owners')
  const owner = await create(owners, { ...widget('owner'), kind: 'Owner' })
  const middleObject = await create(widgets('default'), widget('middle', ownedBy(owner)))
  await create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'leaf', ...ownedBy(middleObject) } })
  await call('DELETE', `${owners}/owner`)
  await waitUntil(isGone(`${widgets('default')}/middle`))
  await waitUntil(isGone('/api/v1/namespaces/default/configmaps/leaf'))

  // The dependents go even though the kind of their owner is no longer served.
  const last = await create(owners, { ...widget('last'), kind: 'Owner' })
  await create(widgets('default'), widget('dependent', ownedBy(last)))
  await call('DELETE', `${definitions}/owners.near.example.com`)
  await waitUntil(isGone(`${definitions}/owners.near.example.com`))
  await waitUntil(isGone(`${widgets('default')}/dependent`))
})

it('counts custom objects in quotas', async () => {
  const hard = { 'count/widgets.near.example.com': '1' }
  await create('/api/v1/namespaces', { metadata: { name: 'counted' } })
  const quotas = '/api/v1/namespaces/counted/resourcequotas'
  const quota = await create(quotas, { metadata: { name: 'q' }, spec: { hard } })
  const status = { hard, used: { 'count/widgets.near.example.com': '0' } }
  expect((await call('PUT', `${quotas}/q/status`, { body: { ...quota, status } })).status).toBe(200)
  await waitUntil(async () => (await call('POST', widgets('counted'), { body: widget(`w${Math.random()}`) })).status === 403)
  const refusal = await call('POST', widgets('counted'), { body: widget('more') })
  expect(refusal.body.message).toBe(
    'widgets.near.example.com "more" is forbidden: exceeded quota: q, requested: count/widgets.near.example.com=1, used: count/widgets.near.example.com=1, limited: count/widgets.near.example.com=1',
  )
})

it('authorizes requests by the rules of roles', async () => {
  const refusal = await call('GET', widgets('default'), { user: ann })
  expect([refusal.status, refusal.body.message]).toEqual([
    403,
    'widgets.near.example.com is forbidden: User "ann" cannot list resource "widgets" in API group "near.example.com" in the namespace "default"',
  ])
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
  await create(`${rbac}/roles`, {
    metadata: { name: 'r' },
    rules: [{ verbs: ['list'], apiGroups: ['near.example.com'], resources: ['widgets'] }],
  })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' }
  await create(`${rbac}/rolebindings`, { metadata: { name: 'r' }, roleRef, subjects: [{ kind: 'User', name: 'ann' }] })
  await waitUntil(async () => (await call('GET', widgets('default'), { user: ann })).status === 200)
  expect((await call('POST', widgets('default'), { user: ann, body: widget('x') })).status).toBe(403)
})

it('lists custom resources in discovery while they are served', async () => {
  const resources = async () => (await call('GET', '/apis/near.example.com/v1')).body.resources
  expect((await resources()).find(({ name }: { name: string }) => name === 'widgets')).toMatchObject({
    singularName: 'widget',
    categories: ['all'],
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
  })
  const groups = (await call('GET', '/apis')).body.groups.map(({ name }: { name: string }) => name)
  expect(groups.at(-1)).toBe('near.example.com')
  const client = chain.client.resource({ group: 'near.example.com', resource: 'widgets' })!
  await client.create('default', widget('by-client') as never)
  expect((await call('GET', `${widgets('default')}/by-client`)).status).toBe(200)
  await call('DELETE', `${definitions}/widgets.near.example.com`)
  await waitUntil(isGone(widgets('default')))
  await waitUntil(async () => !(await call('GET', '/apis')).body.groups.some(({ name }: { name: string }) => name === 'near.example.com'))
  expect(chain.client.resource({ group: 'near.example.com', resource: 'widgets' })).toBeUndefined()
})
