import type { ClusterRole, ClusterRoleBinding, PolicyRule, RoleBinding } from '@keelson/api/rbac/v1'
import type { DeepReadonly, KubeObject, UserInfo } from '@keelson/apimachinery'
import type { ServerChain } from './server-chain.ts'

const rbac = 'rbac.authorization.k8s.io'
export const authenticated = 'system:authenticated'
export const anonymous: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

/** A request of the access matrix, and the action that must be authorized for it. */
export interface Attempt {
  readonly verb: string
  readonly group: string
  /** Plural name of the resource, with the subresource if there is one ("pods/log"). */
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
  readonly init: RequestInit
}

/** HTTP method and body by verb. The requests cannot change anything: bodies are invalid, names are unknown, and deletions are dry runs. */
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

/** Returns a request for every verb of every served resource and subresource. */
export async function discoverAttempts(chain: ServerChain): Promise<Attempt[]> {
  const fetchJson = async <T>(path: string): Promise<T> => {
    const answer = await chain.fetch(path, { user: { name: 'root', groups: ['system:masters'] } })
    return (await answer.json()) as T
  }
  const { groups } = await fetchJson<{ groups: { name: string; preferredVersion: { groupVersion: string } }[] }>('/apis')
  const roots = [
    { group: '', root: '/api/v1' },
    ...groups.map(({ name, preferredVersion }) => ({ group: name, root: `/apis/${preferredVersion.groupVersion}` })),
  ]
  const attempts: Attempt[] = []
  for (const { group, root } of roots) {
    const { resources } = await fetchJson<Discovered>(root)
    for (const { name: resource, namespaced } of resources) {
      const [plural, subresource] = resource.split('/')
      const namespace = namespaced ? 'default' : ''
      for (const [verb, { onName, query = '', init }] of Object.entries(requests)) {
        if (subresource !== undefined && !['get', 'create', 'update', 'patch', 'delete'].includes(verb)) continue
        const name = onName || subresource !== undefined ? 'nope' : ''
        const scopePath = namespaced ? `${root}/namespaces/default` : root
        const path = `${scopePath}/${plural}${name === '' ? '' : `/${name}`}${subresource === undefined ? '' : `/${subresource}`}${query}`
        // A Namespace object has its own name as the namespace of the request.
        const requestNamespace = group === '' && plural === 'namespaces' && name !== '' ? name : namespace
        attempts.push({ verb, group, resource, namespace: requestNamespace, name, path, init })
      }
    }
  }
  return attempts
}

export interface Policy {
  readonly roles: ReadonlyMap<string, readonly DeepReadonly<PolicyRule>[]>
  readonly bindings: readonly DeepReadonly<ClusterRoleBinding | RoleBinding>[]
}

export async function readPolicy(chain: ServerChain): Promise<Policy> {
  const list = async <T extends KubeObject>(resource: string): Promise<readonly DeepReadonly<T>[]> =>
    (await chain.client.resource<T>({ group: rbac, resource })!.list({ resourceVersion: '' })).items
  const indexRulesByName = ({ metadata, rules }: DeepReadonly<ClusterRole>): [string, readonly DeepReadonly<PolicyRule>[]] => [
    `${metadata.namespace ?? ''}/${metadata.name}`,
    rules ?? [],
  ]
  return {
    roles: new Map([...(await list<ClusterRole>('clusterroles')), ...(await list<ClusterRole>('roles'))].map(indexRulesByName)),
    bindings: [...(await list<ClusterRoleBinding>('clusterrolebindings')), ...(await list<RoleBinding>('rolebindings'))],
  }
}

/** Evaluates RBAC rules independently of the server's authorizer: a second, minimal implementation to compare with. */
export function isAllowed(policy: Policy, user: UserInfo, attempt: Attempt): boolean {
  return collectRules(policy, user, attempt.namespace).some((rule) => permits(rule, attempt))
}

function collectRules({ roles, bindings }: Policy, user: UserInfo, actionNamespace: string): DeepReadonly<PolicyRule>[] {
  const applying = bindings.filter(({ metadata: { namespace = '' }, subjects = [] }) => {
    if (namespace !== '' && namespace !== actionNamespace) return false
    return subjects.some((subject) => {
      if (subject.kind === 'Group') return user.groups.includes(subject.name)
      if (subject.kind === 'User') return user.name === subject.name
      return user.name === `system:serviceaccount:${subject.namespace ?? namespace}:${subject.name}`
    })
  })
  return applying.flatMap(
    ({ metadata: { namespace = '' }, roleRef: { kind, name } }) => roles.get(`${kind === 'Role' ? namespace : ''}/${name}`) ?? [],
  )
}

/** Lists the differences for non-resource paths: users and paths for which the server's GET response does not match the roles. */
export async function findPathDifferences(chain: ServerChain, users: readonly UserInfo[], paths: readonly string[]): Promise<string[]> {
  const policy = await readPolicy(chain)
  const pathErrors: string[] = []
  for (const user of users) {
    const urls = collectRules(policy, user, '').flatMap(({ verbs, nonResourceURLs = [] }) =>
      verbs?.some((verb) => verb === 'get' || verb === '*') === true ? nonResourceURLs : [],
    )
    for (const path of paths) {
      const expected = urls.some((url) => url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))))
      const answer = await chain.fetch(path, { user })
      await answer.body?.cancel()
      const isServed = answer.status !== 403
      if (isServed !== expected) pathErrors.push(`${user.name} ${path}: ${answer.status}`)
    }
  }
  return pathErrors
}

/** The parts of a policy rule that the matrix compares. Rules of nodes have no resource names. */
export type Permission = Pick<DeepReadonly<PolicyRule>, 'verbs' | 'apiGroups' | 'resources' | 'resourceNames'>

export function permits({ verbs, apiGroups, resources, resourceNames = [] }: Permission, attempt: Attempt): boolean {
  const includesAny = (values: readonly string[] | null | undefined, ...accepted: string[]): boolean =>
    ['*', ...accepted].some((value) => values?.includes(value) === true)
  const slash = attempt.resource.indexOf('/')
  return (
    includesAny(verbs, attempt.verb) &&
    includesAny(apiGroups, attempt.group) &&
    includesAny(resources, attempt.resource, ...(slash < 0 ? [] : [`*${attempt.resource.slice(slash)}`])) &&
    (resourceNames.length === 0 || resourceNames.includes(attempt.name))
  )
}

type Outcome = 'served' | 'refused' | 'refused as another request'

/** Returns whether the server refused exactly this action. Any other error means that the authorization was passed. */
export async function attemptAction(chain: ServerChain, user: UserInfo, { path, verb, group, resource, init }: Attempt): Promise<Outcome> {
  const answer = await chain.fetch(path, { ...init, user })
  if (answer.status === 429) throw new Error(`${verb} ${path} was not authorized: too many requests`)
  if (answer.status === 403) {
    const { message } = (await answer.json()) as { message: string }
    if (message.includes(`cannot ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)}`)) return 'refused'
    return message.includes(`User ${JSON.stringify(user.name)} cannot `) ? 'refused as another request' : 'served'
  }
  await answer.body?.cancel()
  return 'served'
}

/** Number of concurrent requests, below the in-flight limit of the server. */
const concurrency = 50

export async function runAttempts(attempts: readonly Attempt[], run: (attempt: Attempt) => Promise<void>): Promise<void> {
  for (let i = 0; i < attempts.length; i += concurrency) await Promise.all(attempts.slice(i, i + concurrency).map(run))
}

/** Lists the differences for resources: requests that the server allows or refuses contrary to the roles. */
export async function findDifferences(chain: ServerChain, users: readonly UserInfo[], attempts: readonly Attempt[]): Promise<string[]> {
  const policy = await readPolicy(chain)
  const resourceErrors: string[] = []
  for (const user of users) {
    await runAttempts(attempts, async (attempt) => {
      const [outcome, expected] = [await attemptAction(chain, user, attempt), isAllowed(policy, user, attempt) ? 'served' : 'refused']
      if (outcome !== expected) resourceErrors.push(`${user.name} ${attempt.verb} ${attempt.group} ${attempt.resource}: ${outcome}`)
    })
  }
  return resourceErrors.toSorted()
}
