import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

const admin = { name: 'admin', groups: ['system:masters'] }
const ann = { name: 'ann', groups: ['dev', 'system:authenticated'] }
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const formatWidgetsPath = (namespace: string): string => `/apis/near.example.com/v1/namespaces/${namespace}/widgets`

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
  await waitUntil(async () => (await call('GET', formatWidgetsPath('default').replace('widgets', plural))).status === 200)
}

const waitUntil = (isDone: () => Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await isDone()).toBe(true), { interval: 5, timeout: 10_000 })
const isGone = (path: string) => async (): Promise<boolean> => (await call('GET', path)).status === 404
const createWidget = (name: string, overrides: object = {}): object => ({
  apiVersion: 'near.example.com/v1',
  kind: 'Widget',
  metadata: { name, ...overrides },
})
const createOwners = ({ apiVersion, kind, metadata: { name, uid } }: Answer['body']): object => ({
  ownerReferences: [{ apiVersion, kind, name, uid }],
})

it('deletes custom objects with their namespace, and refuses new ones meanwhile', async () => {
  await create('/api/v1/namespaces', { metadata: { name: 'going' } })
  await create(formatWidgetsPath('going'), createWidget('a', { finalizers: ['example.com/hold'] }))
  await create(formatWidgetsPath('going'), createWidget('b'))
  await call('DELETE', '/api/v1/namespaces/going')
  await waitUntil(isGone(`${formatWidgetsPath('going')}/b`))
  const refusal = await call('POST', formatWidgetsPath('going'), { body: createWidget('c') })
  expect([refusal.status, refusal.body.message]).toEqual([
    403,
    'widgets.near.example.com "c" is forbidden: unable to create new content in namespace going because it is being terminated',
  ])
  const readConditions = async () => {
    const { conditions = [] } = (await call('GET', '/api/v1/namespaces/going')).body.status
    return conditions.find(({ type }: { type: string }) => type === 'NamespaceContentRemaining')?.message as string | undefined
  }
  await waitUntil(
    async () => (await readConditions()) === 'Some resources are remaining: widgets.near.example.com has 1 resource instances',
  )
  await call('PATCH', `${formatWidgetsPath('going')}/a`, { body: { metadata: { finalizers: null } } })
  await waitUntil(isGone(`${formatWidgetsPath('going')}/a`))
  const withoutNamespace = await call('POST', formatWidgetsPath('nowhere'), { body: createWidget('a') })
  expect([withoutNamespace.status, withoutNamespace.body.message]).toEqual([404, 'namespaces "nowhere" not found'])
})

it('collects the dependents of custom objects, and custom dependents', async () => {
  const owners = formatWidgetsPath('default').replace('widgets', 'owners')
  const owner = await create(owners, { ...createWidget('owner'), kind: 'Owner' })
  const middleObject = await create(formatWidgetsPath('default'), createWidget('middle', createOwners(owner)))
  await create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'leaf', ...createOwners(middleObject) } })
  await call('DELETE', `${owners}/owner`)
  await waitUntil(isGone(`${formatWidgetsPath('default')}/middle`))
  await waitUntil(isGone('/api/v1/namespaces/default/configmaps/leaf'))

  // The dependents go even though the kind of their owner is no longer served.
  const last = await create(owners, { ...createWidget('last'), kind: 'Owner' })
  await create(formatWidgetsPath('default'), createWidget('dependent', createOwners(last)))
  await call('DELETE', `${definitions}/owners.near.example.com`)
  await waitUntil(isGone(`${definitions}/owners.near.example.com`))
  await waitUntil(isGone(`${formatWidgetsPath('default')}/dependent`))
})

it('counts custom objects in quotas', async () => {
  const hard = { 'count/widgets.near.example.com': '1' }
  await create('/api/v1/namespaces', { metadata: { name: 'counted' } })
  const quotas = '/api/v1/namespaces/counted/resourcequotas'
  const quota = await create(quotas, { metadata: { name: 'q' }, spec: { hard } })
  const status = { hard, used: { 'count/widgets.near.example.com': '0' } }
  expect((await call('PUT', `${quotas}/q/status`, { body: { ...quota, status } })).status).toBe(200)
  await waitUntil(
    async () => (await call('POST', formatWidgetsPath('counted'), { body: createWidget(`w${Math.random()}`) })).status === 403,
  )
  const refusal = await call('POST', formatWidgetsPath('counted'), { body: createWidget('more') })
  expect(refusal.body.message).toBe(
    'widgets.near.example.com "more" is forbidden: exceeded quota: q, requested: count/widgets.near.example.com=1, used: count/widgets.near.example.com=1, limited: count/widgets.near.example.com=1',
  )
})

it('authorizes requests by the rules of roles', async () => {
  const refusal = await call('GET', formatWidgetsPath('default'), { user: ann })
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
  await waitUntil(async () => (await call('GET', formatWidgetsPath('default'), { user: ann })).status === 200)
  expect((await call('POST', formatWidgetsPath('default'), { user: ann, body: createWidget('x') })).status).toBe(403)
})

it('lists custom resources in discovery while they are served', async () => {
  const listResources = async () => (await call('GET', '/apis/near.example.com/v1')).body.resources
  expect((await listResources()).find(({ name }: { name: string }) => name === 'widgets')).toMatchObject({
    singularName: 'widget',
    categories: ['all'],
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
  })
  const groups = (await call('GET', '/apis')).body.groups.map(({ name }: { name: string }) => name)
  expect(groups.at(-1)).toBe('near.example.com')
  const client = chain.client.resource({ group: 'near.example.com', resource: 'widgets' })!
  await client.create('default', createWidget('by-client') as never)
  expect((await call('GET', `${formatWidgetsPath('default')}/by-client`)).status).toBe(200)
  await call('DELETE', `${definitions}/widgets.near.example.com`)
  await waitUntil(isGone(formatWidgetsPath('default')))
  await waitUntil(async () => !(await call('GET', '/apis')).body.groups.some(({ name }: { name: string }) => name === 'near.example.com'))
  expect(chain.client.resource({ group: 'near.example.com', resource: 'widgets' })).toBeUndefined()
})
