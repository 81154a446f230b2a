import type { ClusterRole, ClusterRoleBinding } from '@keelson/api/rbac/v1'
import type { UserInfo } from '@keelson/apimachinery'
import type { Authorizer, AuthorizerAttributes } from '@keelson/auth'
import { sendBytes } from '@keelson/exchange'
import type { Filter, PlacedFilter } from '@keelson/server'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { anonymous, authenticated, findDifferences, discoverAttempts } from './access-matrix.fixture.ts'
import type { Attempt } from './access-matrix.fixture.ts'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

// Adds one authorization bug to a server at a time. The access matrix must report each of them.

const alice: UserInfo = { name: 'alice', groups: [authenticated] }
const root: UserInfo = { name: 'root', groups: ['system:masters'] }
const passAll: Filter = () => {}
const noOpinion = { decision: 'noOpinion', reason: '' } as const

/** The bug that is added to the server: a filter before a named filter, or an authorizer. */
let planted: { readonly before?: string; readonly filter?: Filter; readonly authorizer?: Authorizer } = {}
let chain: ServerChain
let names: string[]
let attempts: Attempt[]

beforeAll(async () => {
  names = await listFilters()
  const filters = names.map((name): PlacedFilter => ({
    name: `before ${name}`,
    before: name,
    filter: (exchange) => (planted.before === name ? planted.filter!(exchange) : undefined),
  }))
  const authorizer: Authorizer = { authorize: (attributes) => planted.authorizer?.authorize(attributes) ?? noOpinion }
  chain = await createServerChain({ log: () => {}, controllers: ['none'], filters, authorizers: [authorizer] })
  await chain.start()
  attempts = (await discoverAttempts(chain)).filter(({ resource }) => /^(secrets|pods|pods\/log|nodes)$/.test(resource))
})
afterEach(() => {
  planted = {}
})
afterAll(() => chain.close())

/** Lists the names of the server's filters, so that the test covers all of them. */
async function listFilters(): Promise<string[]> {
  const filters = [{ name: 'any', before: 'unknown', filter: passAll }]
  const refusal = await createServerChain({ log: () => {}, filters }).catch(String)
  return /known: (.+)/.exec(String(refusal))![1]!.split(', ')
}

const find = (): Promise<string[]> => findDifferences(chain, [anonymous, alice], attempts)
const formatForBoth = (text: string): string[] => [`alice ${text}`, `system:anonymous ${text}`]

test('the access matrix has no differences for a server without a bug', async () => {
  expect(attempts.length).toBeGreaterThan(20)
  expect(await find()).toEqual([])
})

test('reports a filter that answers requests itself, at each position before the authorization filter', async () => {
  expect(names).toEqual(expect.arrayContaining(['authentication', 'impersonation', 'in-flight', 'authorization']))
  for (const before of names) {
    const filter: Filter = (exchange) => {
      if (exchange.method !== 'DELETE' || exchange.target.path !== '/api/v1/namespaces/default/secrets/nope') return
      sendBytes(exchange, 200, {}, 'deleted')
      return 'answered'
    }
    planted = { before, filter }
    const isLate = names.indexOf(before) > names.indexOf('authorization')
    expect({ before, found: await find() }).toEqual({ before, found: isLate ? [] : formatForBoth('delete  secrets: served') })
  }
})

test('reports an authentication that sets another user', async () => {
  const filter: Filter = (exchange) => {
    if (exchange.attributes.resource === 'nodes' && exchange.attributes.verb === 'list') exchange.user = root
  }
  planted = { before: 'impersonation', filter }
  expect(await find()).toEqual(formatForBoth('list  nodes: served'))
})

test('reports a request that is authorized as another resource, verb or path', async () => {
  const role = 'pod-reader'
  const user: UserInfo = { name: 'reader', groups: [authenticated] }
  const rules = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }]
  const rbac = 'rbac.authorization.k8s.io'
  const { client } = chain
  await client.resource<ClusterRole>({ group: rbac, resource: 'clusterroles' })!.create('', { metadata: { name: role }, rules })
  await client.resource<ClusterRoleBinding>({ group: rbac, resource: 'clusterrolebindings' })!.create('', {
    metadata: { name: role },
    subjects: [{ kind: 'User', apiGroup: rbac, name: user.name }],
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
  })
  const findTarget = (): Promise<string[]> => findDifferences(chain, [user], attempts)
  await expect.poll(findTarget, { timeout: 30_000 }).toEqual([])

  const authorizeAs = (from: object, change: object): Filter => {
    const isMeant = (attributes: object): boolean =>
      Object.entries(from).every(([key, value]) => attributes[key as keyof typeof attributes] === value)
    return (exchange) => {
      if (isMeant(exchange.attributes)) exchange.interpret({ ...exchange.attributes, ...change }, exchange.route)
    }
  }
  const mistakes: readonly (readonly [filter: Filter, found: string[]])[] = [
    [authorizeAs({ resource: 'secrets', verb: 'get' }, { resource: 'pods' }), ['reader get  secrets: served']],
    [authorizeAs({ resource: 'pods', subresource: '', verb: 'delete' }, { verb: 'get' }), ['reader delete  pods: served']],
    [authorizeAs({ resource: 'pods', verb: 'watch' }, { verb: 'list' }), ['reader watch  pods: served']],
    [authorizeAs({ resource: 'pods', subresource: 'log', verb: 'get' }, { subresource: '' }), ['reader get  pods/log: served']],
    [
      authorizeAs({ resource: 'nodes', verb: 'list' }, { isResourceRequest: false, resource: '', path: '/healthz', verb: 'get' }),
      ['reader list  nodes: served'],
    ],
    [authorizeAs({ resource: 'secrets', verb: 'list' }, { resource: 'nodes' }), ['reader list  secrets: refused as another request']],
    [authorizeAs({ resource: 'pods', verb: 'list' }, { resource: 'nodes' }), ['reader list  pods: refused as another request']],
  ]
  for (const [filter, found] of mistakes) {
    planted = { before: 'authorization', filter }
    expect(await findTarget()).toEqual(found)
  }
})

test('reports an authorizer that allows an additional verb, resource or user', async () => {
  const createAuthorizer = (isAllowed: (attributes: AuthorizerAttributes) => boolean): Authorizer => ({
    authorize: (attributes) => (isAllowed(attributes) ? { decision: 'allow', reason: '' } : noOpinion),
  })
  planted = { authorizer: createAuthorizer(({ action: { verb, resource } }) => resource === 'secrets' && verb === 'list') }
  expect(await find()).toEqual(formatForBoth('list  secrets: served'))
  planted = { authorizer: createAuthorizer(({ action: { subresource, verb } }) => subresource === 'log' && verb === 'get') }
  expect(await find()).toEqual(formatForBoth('get  pods/log: served'))
  planted = {
    authorizer: createAuthorizer(({ user, action: { resource, name } }) => user.name === 'alice' && resource === 'nodes' && name !== ''),
  }
  expect(await find()).toEqual(['delete', 'get', 'patch', 'update'].map((verb) => `alice ${verb}  nodes: served`))
})

test('reports an impersonation that is not authorized', async () => {
  const targets: UserInfo[] = [root, { name: 'system:kube-scheduler', groups: [] }]
  const compareImpersonations = async (): Promise<string[]> => {
    const differences: string[] = []
    for (const target of targets) {
      for (const { path, verb, resource, init } of attempts) {
        const headers = {
          ...(init.headers as object),
          'impersonate-user': target.name,
          'impersonate-group': target.groups.join() || authenticated,
        }
        const answer = await chain.fetch(path, { ...init, headers, user: alice })
        if (answer.status !== 403 || !(await answer.text()).includes(' cannot impersonate'))
          differences.push(`${target.name} ${verb} ${resource}`)
      }
    }
    return differences
  }
  expect(await compareImpersonations()).toEqual([])
  const filter: Filter = (exchange) => {
    const { headers, rawHeaders } = exchange.incoming
    if (exchange.attributes.resource !== 'nodes' || exchange.attributes.verb !== 'list') return
    exchange.user = { name: String(headers['impersonate-user']), groups: [String(headers['impersonate-group'])] }
    rawHeaders.length = 0
  }
  planted = { before: 'impersonation', filter }
  expect(await compareImpersonations()).toEqual(['root list nodes', 'system:kube-scheduler list nodes'])
})
