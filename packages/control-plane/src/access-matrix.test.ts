import type { ClusterRole, ClusterRoleBinding, PolicyRule, RoleBinding } from '@keelson/api/rbac/v1'
import type { DeepReadonly, KubeObject, UserInfo } from '@keelson/apimachinery'
import { afterEach, expect, test, vi } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import type { ServerChain } from './server-chain.ts'

const rbac = 'rbac.authorization.k8s.io'

let chain: ServerChain
afterEach(() => chain.close())

async function start(options: ServerChainOptions = {}): Promise<void> {
  chain = await createServerChain({ log: () => {}, controllers: ['clusterrole-aggregation-controller'], ...options })
  await chain.start()
}

/** A request, and the action that it means. */
interface Attempt {
  readonly verb: string
  readonly group: string
  /** With the subresource, if any. */
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
  readonly init: RequestInit
}

/** Methods and bodies by verb. No request changes anything: the bodies are broken, the names unknown, and deletions are dry runs. */
const json = { 'content-type': 'application/json' }
const requests: Readonly<Record<string, { readonly onName: boolean; readonly query?: string; readonly init: RequestInit }>> = {
  get: { onName: true, init: {} },
  list: { onName: false, query: '?limit=1', init: {} },
  watch: { onName: false, query: '?watch=1&resourceVersion=none', init: {} },
  create: { onName: false, init: { method: 'POST', headers: json, body: '{' } },
  update: { onName: true, init: { method: 'PUT', headers: json, body: '{' } },
  patch: { onName: true, init: { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body: '{' } },
  delete: { onName: true, query: '?dryRun=All', init: { method: 'DELETE' } },
  deletecollection: { onName: false, query: '?dryRun=All', init: { method: 'DELETE' } },
}

interface Discovered {
  readonly resources: readonly { readonly name: string; readonly namespaced: boolean }[]
}

/** Every verb on every served resource, and on the subresources. */
async function discoverAttempts(): Promise<Attempt[]> {
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await chain.fetch(path, { user: { name: 'root', groups: ['system:masters'] } })
    return (await answer.json()) as T
  }
  const { groups } = await ask<{ groups: { name: string; preferredVersion: { groupVersion: string } }[] }>('/apis')
  const roots = [
    { group: '', root: '/api/v1' },
    ...groups.map(({ name, preferredVersion }) => ({ group: name, root: `/apis/${preferredVersion.groupVersion}` })),
  ]
  const attempts: Attempt[] = []
  for (const { group, root } of roots) {
    const { resources } = await ask<Discovered>(root)
    for (const { name: resource, namespaced } of resources) {
      const [plural, subresource] = resource.split('/')
      const namespace = namespaced ? 'default' : ''
      for (const [verb, { onName, query = '', init }] of Object.entries(requests)) {
        if (subresource !== undefined && !['get', 'create', 'update', 'patch', 'delete'].includes(verb)) continue
        const name = onName || subresource !== undefined ? 'nope' : ''
        const scope = namespaced ? `${root}/namespaces/default` : root
        const path = `${scope}/${plural}${name === '' ? '' : `/${name}`}${subresource === undefined ? '' : `/${subresource}`}${query}`
        // The name in the path of a namespace is also its namespace.
        const own = group === '' && plural === 'namespaces' && name !== '' ? name : namespace
        attempts.push({ verb, group, resource, namespace: own, name, path, init })
      }
    }
  }
  return attempts
}

interface Policy {
  readonly roles: ReadonlyMap<string, readonly DeepReadonly<PolicyRule>[]>
  readonly bindings: readonly DeepReadonly<ClusterRoleBinding | RoleBinding>[]
}

async function readPolicy(): Promise<Policy> {
  const list = async <T extends KubeObject>(resource: string): Promise<readonly DeepReadonly<T>[]> =>
    (await chain.client.resource<T>({ group: rbac, resource })!.list({ resourceVersion: '' })).items
  const named = ({ metadata, rules }: DeepReadonly<ClusterRole>): [string, readonly DeepReadonly<PolicyRule>[]] => [
    `${metadata.namespace ?? ''}/${metadata.name}`,
    rules ?? [],
  ]
  return {
    roles: new Map([...(await list<ClusterRole>('clusterroles')), ...(await list<ClusterRole>('roles'))].map(named)),
    bindings: [...(await list<ClusterRoleBinding>('clusterrolebindings')), ...(await list<RoleBinding>('rolebindings'))],
  }
}

/** The rules of RBAC once more, as short as possible, and independent of the authorizer. */
function isAllowed({ roles, bindings }: Policy, user: UserInfo, attempt: Attempt): boolean {
  const applying = bindings.filter(({ metadata: { namespace = '' }, subjects = [] }) => {
    if (namespace !== '' && namespace !== attempt.namespace) return false
    return subjects.some((subject) => {
      if (subject.kind === 'Group') return user.groups.includes(subject.name)
      if (subject.kind === 'User') return user.name === subject.name
      return user.name === `system:serviceaccount:${subject.namespace ?? namespace}:${subject.name}`
    })
  })
  return applying.some(({ metadata: { namespace = '' }, roleRef: { kind, name } }) =>
    (roles.get(`${kind === 'Role' ? namespace : ''}/${name}`) ?? []).some((rule) => permits(rule, attempt)),
  )
}

/** Part of a rule; those of nodes have no names. */
type Permission = Pick<DeepReadonly<PolicyRule>, 'verbs' | 'apiGroups' | 'resources' | 'resourceNames'>

function permits({ verbs, apiGroups, resources, resourceNames = [] }: Permission, attempt: Attempt): boolean {
  const has = (values: readonly string[] | null | undefined, ...wanted: string[]): boolean =>
    ['*', ...wanted].some((value) => values?.includes(value) === true)
  const slash = attempt.resource.indexOf('/')
  return (
    has(verbs, attempt.verb) &&
    has(apiGroups, attempt.group) &&
    has(resources, attempt.resource, ...(slash < 0 ? [] : [`*${attempt.resource.slice(slash)}`])) &&
    (resourceNames.length === 0 || resourceNames.includes(attempt.name))
  )
}

/** True unless the server answers that the user may not do just this. Other errors come from behind the authorization. */
async function isServed(user: UserInfo, { path, verb, init }: Attempt): Promise<boolean> {
  const answer = await chain.fetch(path, { ...init, user })
  if (answer.status === 429) throw new Error(`${verb} ${path} was not authorized: too many requests`)
  if (answer.status === 403) {
    const { message } = (await answer.json()) as { message: string }
    return !message.includes(`cannot ${verb} resource`)
  }
  await answer.body?.cancel()
  return true
}

/** Fewer than the server takes at once. */
const concurrency = 50

async function eachAttempt(attempts: readonly Attempt[], run: (attempt: Attempt) => Promise<void>): Promise<void> {
  for (let i = 0; i < attempts.length; i += concurrency) await Promise.all(attempts.slice(i, i + concurrency).map(run))
}

async function differences(users: readonly UserInfo[], attempts: readonly Attempt[]): Promise<string[]> {
  const policy = await readPolicy()
  const found: string[] = []
  for (const user of users) {
    await eachAttempt(attempts, async (attempt) => {
      const [served, expected] = [await isServed(user, attempt), isAllowed(policy, user, attempt)]
      if (served !== expected) found.push(`${user.name} ${attempt.verb} ${attempt.group} ${attempt.resource}: served ${served}`)
    })
  }
  return found.toSorted()
}

const authenticated = 'system:authenticated'
const anonymous: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] }
const people: readonly UserInfo[] = [
  anonymous,
  { name: 'alice', groups: [authenticated] },
  { name: 'system:kube-scheduler', groups: [authenticated] },
  { name: 'system:kube-controller-manager', groups: [authenticated] },
  { name: 'system:serviceaccount:kube-system:job-controller', groups: ['system:serviceaccounts', authenticated] },
  { name: 'system:serviceaccount:default:default', groups: ['system:serviceaccounts', authenticated] },
]

/** Binds each cluster role to a user of its own, aggregated ones once they have their rules. */
async function bindEachRole(): Promise<UserInfo[]> {
  const roles = chain.client.resource<ClusterRole>({ group: rbac, resource: 'clusterroles' })!
  const bindings = chain.client.resource<ClusterRoleBinding>({ group: rbac, resource: 'clusterrolebindings' })!
  await vi.waitFor(async () => {
    for (const name of ['admin', 'edit', 'view']) expect((await roles.get('', name))?.rules?.length).toBeGreaterThan(10)
    expect((await roles.get('', 'admin'))?.rules?.length).toBeGreaterThan((await roles.get('', 'edit'))!.rules!.length)
  })
  const { items } = await roles.list({ resourceVersion: '' })
  const users = items.map(({ metadata }) => ({ name: `has ${metadata.name}`, groups: [authenticated] }))
  await Promise.all(
    items.map(({ metadata: { name = '' } }) =>
      bindings.create('', {
        metadata: { name: `matrix:${name}` },
        subjects: [{ kind: 'User', apiGroup: rbac, name: `has ${name}` }],
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      }),
    ),
  )
  const nodes: Attempt = { verb: 'list', group: '', resource: 'nodes', namespace: '', name: '', path: '/api/v1/nodes?limit=1', init: {} }
  // The last binding that the informer sees.
  await vi.waitFor(async () => expect((await differences(users, [nodes])).length).toBe(0))
  return users
}

test('every verb on every resource is allowed exactly when a role says so', { timeout: 120_000 }, async () => {
  await start()
  const attempts = await discoverAttempts()
  expect(attempts.length).toBeGreaterThan(600)
  const users = [...people, ...(await bindEachRole())]
  expect(users.length).toBe(people.length + 69)
  expect(await differences(users, attempts)).toEqual([])
})

test('a node is allowed no more than the rules of nodes and of everyone', { timeout: 60_000 }, async () => {
  await start()
  const [attempts, policy] = [await discoverAttempts(), await readPolicy()]
  const node: UserInfo = { name: 'system:node:n', groups: ['system:nodes', authenticated] }
  // The Node authorizer allows this one by itself; NodeRestriction limits it.
  const slices = { verbs: ['create'], apiGroups: ['resource.k8s.io'], resources: ['resourceslices'] }
  const own = [...(policy.roles.get('/system:node') ?? []), slices]
  const [allowed, beyond]: [string[], string[]] = [[], []]
  await eachAttempt(attempts, async (attempt) => {
    if (!(await isServed(node, attempt))) return
    const what = `${attempt.verb} ${attempt.group} ${attempt.resource}`
    allowed.push(what)
    if (!isAllowed(policy, node, attempt) && !own.some((rule) => permits(rule, attempt))) beyond.push(what)
  })
  expect(beyond).toEqual([])
  expect(allowed).toEqual(expect.arrayContaining(['create  nodes', 'list  services', 'create resource.k8s.io resourceslices']))
})

test('a bypass is found', { timeout: 60_000 }, async () => {
  const isSecret = (resource: string): boolean => resource === 'secrets'
  await start({
    authorizers: [
      {
        authorize: ({ action: { verb, resource } }) =>
          isSecret(resource) && verb === 'list' ? { decision: 'allow', reason: '' } : { decision: 'noOpinion', reason: '' },
      },
    ],
  })
  const attempts = (await discoverAttempts()).filter(({ resource }) => ['secrets', 'pods'].includes(resource))
  expect(await differences([anonymous], attempts)).toEqual(['system:anonymous list  secrets: served true'])
})
