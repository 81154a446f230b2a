import type { JsonObject } from '@keelson/apimachinery'
import type { Random } from '../cases/random.ts'

export const rbacPath = '/apis/rbac.authorization.k8s.io/v1'
const apiVersion = 'rbac.authorization.k8s.io/v1'

/** Names of users, groups, namespaces and roles for the policies and requests of one run. */
export interface Vocabulary {
  readonly namespaces: readonly string[]
  readonly users: readonly string[]
  readonly groups: readonly string[]
  readonly accounts: readonly { readonly namespace: string; readonly name: string }[]
  readonly roles: readonly string[]
  readonly objects: readonly string[]
}

/** Creates the names of a run. All names start with `prefix`, so that a run does not change the permissions of other users. */
export function createVocabulary(prefix: string): Vocabulary {
  const createNames = (kind: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}-${kind}${i}`)
  const namespaces = createNames('ns', 3)
  return {
    namespaces,
    users: createNames('user', 12),
    groups: createNames('group', 6),
    accounts: namespaces.flatMap((namespace) => ['default', 'builder'].map((name) => ({ namespace, name }))),
    roles: createNames('role', 25),
    objects: ['one', 'two', 'three'],
  }
}

export const resourceNames = [
  { apiGroup: '', resource: 'pods' },
  { apiGroup: '', resource: 'configmaps' },
  { apiGroup: '', resource: 'secrets' },
  { apiGroup: '', resource: 'nodes' },
  { apiGroup: 'apps', resource: 'deployments' },
  { apiGroup: 'apps', resource: 'statefulsets' },
  { apiGroup: 'batch', resource: 'jobs' },
  { apiGroup: 'example.com', resource: 'widgets' },
] as const
export const subresources = ['status', 'scale', 'log', 'exec'] as const
export const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'use', 'impersonate'] as const
export const paths = ['/metrics', '/healthz', '/logs', '/logs/kube', '/debug/pprof/heap', '/version', '/apis/example.com', '/'] as const

/** Returns some of the values, at least one, in random order. */
function pickSome<T>(random: Random, from: readonly T[], maximum = 3): T[] {
  return Array.from(new Set(Array.from({ length: 1 + random.below(maximum) }, () => random.pick(from))))
}

function createRandomRule(random: Random, words: Vocabulary, mayNamePaths: boolean): JsonObject {
  const ruleVerbs = random.chance(0.1) ? ['*'] : pickSome(random, verbs)
  if (mayNamePaths && random.chance(0.2)) {
    const patterns = [...paths, '*', '/logs/*', '/debug*', '/healthz/*', '/api*']
    return { verbs: ruleVerbs, nonResourceURLs: pickSome(random, patterns) }
  }
  const chosen = pickSome(random, resourceNames, 2)
  const resources = chosen.flatMap(({ resource }) => {
    if (random.chance(0.7)) return [resource]
    return [random.pick([`${resource}/${random.pick(subresources)}`, `*/${random.pick(subresources)}`, '*', `${resource}/*`])]
  })
  return {
    verbs: ruleVerbs,
    apiGroups: random.chance(0.1) ? ['*'] : chosen.map(({ apiGroup }) => apiGroup),
    resources,
    ...(random.chance(0.25) && { resourceNames: pickSome(random, [...words.objects, '']) }),
  }
}

export function createRandomRules(random: Random, words: Vocabulary, kind: 'Role' | 'ClusterRole'): JsonObject[] {
  return Array.from({ length: random.below(4) }, () => createRandomRule(random, words, kind === 'ClusterRole'))
}

function createRandomSubject(random: Random, words: Vocabulary): JsonObject {
  const apiGroup = 'rbac.authorization.k8s.io'
  switch (random.weighted({ user: 5, group: 3, account: 3, accountGroup: 1, accountUser: 1, nobody: 1 })) {
    case 'user':
      return { kind: 'User', apiGroup, name: random.pick(words.users) }
    case 'group':
      return { kind: 'Group', apiGroup, name: random.pick(words.groups) }
    case 'account': {
      const { namespace, name } = random.pick(words.accounts)
      return { kind: 'ServiceAccount', namespace, name }
    }
    case 'accountGroup':
      return { kind: 'Group', apiGroup, name: `system:serviceaccounts:${random.pick(words.namespaces)}` }
    case 'accountUser': {
      const { namespace, name } = random.pick(words.accounts)
      return { kind: 'User', apiGroup, name: `system:serviceaccount:${namespace}:${name}` }
    }
    default:
      return { kind: 'User', apiGroup, name: 'compare-nobody' }
  }
}

/** A manifest and the path of its collection. */
export interface PolicyObject {
  readonly path: string
  readonly name: string
  readonly manifest: JsonObject
}

export function createRandomRole(random: Random, words: Vocabulary): PolicyObject {
  const name = random.pick(words.roles)
  return random.chance(0.5)
    ? createClusterRole(name, createRandomRules(random, words, 'ClusterRole'))
    : createNamespacedRole(random, words, name)
}

function createNamespacedRole(random: Random, words: Vocabulary, name: string): PolicyObject {
  const namespace = random.pick(words.namespaces)
  const manifest = { apiVersion, kind: 'Role', metadata: { name, namespace }, rules: createRandomRules(random, words, 'Role') }
  return { path: `${rbacPath}/namespaces/${namespace}/roles`, name, manifest }
}

export function createClusterRole(name: string, rules: readonly JsonObject[]): PolicyObject {
  return { path: `${rbacPath}/clusterroles`, name, manifest: { apiVersion, kind: 'ClusterRole', metadata: { name }, rules: [...rules] } }
}

/** Returns a binding of a random kind. Some bindings refer to missing roles or to built-in roles. */
export function createRandomBinding(random: Random, words: Vocabulary, name: string): PolicyObject {
  const isCluster = random.chance(0.3)
  const kind = isCluster || random.chance(0.5) ? 'ClusterRole' : 'Role'
  const bound =
    random.chance(0.05) && kind === 'ClusterRole' ? random.pick(['view', 'edit', 'admin', 'system:basic-user']) : random.pick(words.roles)
  const subjects = Array.from({ length: 1 + random.below(3) }, () => createRandomSubject(random, words))
  return createBinding(name, { roleRef: { kind, name: bound }, subjects, namespace: isCluster ? undefined : random.pick(words.namespaces) })
}

interface BindingParts {
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects: readonly JsonObject[]
  /** Namespace of a RoleBinding. Undefined for a ClusterRoleBinding. */
  readonly namespace: string | undefined
}

export function createBinding(name: string, { roleRef, subjects, namespace }: BindingParts): PolicyObject {
  const isCluster = namespace === undefined
  return {
    path: isCluster ? `${rbacPath}/clusterrolebindings` : `${rbacPath}/namespaces/${namespace}/rolebindings`,
    name,
    manifest: {
      apiVersion,
      kind: isCluster ? 'ClusterRoleBinding' : 'RoleBinding',
      metadata: { name, ...(!isCluster && { namespace }) },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...roleRef },
      subjects: [...subjects],
    },
  }
}
