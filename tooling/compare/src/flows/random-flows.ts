import type { JsonObject } from '@keelson/apimachinery'
import type { Random } from '../cases/random.ts'

/** The names that flow schemas and requests of a run use. */
export interface FlowVocabulary {
  readonly users: readonly string[]
  readonly groups: readonly string[]
  readonly accounts: readonly { readonly namespace: string; readonly name: string }[]
  readonly namespaces: readonly string[]
}

export interface FlowRequest {
  readonly method: string
  readonly path: string
  readonly user: string
  readonly groups: readonly string[]
}

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1'
const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const
const resources = [
  { group: '', version: 'v1', resource: 'pods', subresources: ['status', 'log', 'binding'] },
  { group: '', version: 'v1', resource: 'configmaps', subresources: [] },
  { group: '', version: 'v1', resource: 'nodes', subresources: ['status'] },
  { group: 'apps', version: 'v1', resource: 'deployments', subresources: ['status', 'scale'] },
  { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', subresources: [] },
  { group: 'example.com', version: 'v1', resource: 'widgets', subresources: ['status'] },
] as const
const paths = [
  '/healthz',
  '/healthz/ping',
  '/healthzz',
  '/livez',
  '/version',
  '/version/',
  '/apis',
  '/apis/apps',
  '/api',
  '/logs/a',
  '/',
  '/nosuch',
] as const

export function createFlowVocabulary(prefix: string): FlowVocabulary {
  const createNames = (kind: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}-${kind}${i}`)
  const namespaces = createNames('ns', 3)
  return {
    users: createNames('user', 5),
    groups: createNames('group', 4),
    namespaces,
    accounts: namespaces.flatMap((namespace) => ['default', 'builder'].map((name) => ({ namespace, name }))),
  }
}

export function createRandomLevel(random: Random, name: string): JsonObject {
  const handSize = 1 + random.below(4)
  const queuing = { queues: handSize + random.below(12), handSize, queueLengthLimit: 10 + random.below(90) }
  const limitResponse = random.chance(0.3) ? { type: 'Reject' } : { type: 'Queue', queuing }
  return {
    apiVersion,
    kind: 'PriorityLevelConfiguration',
    metadata: { name },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 10 + random.below(100),
        limitResponse,
        ...(random.chance(0.5) && { lendablePercent: random.below(101) }),
        ...(random.chance(0.3) && { borrowingLimitPercent: random.below(300) }),
      },
    },
  }
}

/** Creates a flow schema that refers to one of `levels`, some of which may not exist. */
export function createRandomSchema(
  random: Random,
  words: FlowVocabulary,
  { name, levels }: { readonly name: string; readonly levels: readonly string[] },
): JsonObject {
  return {
    apiVersion,
    kind: 'FlowSchema',
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: random.pick(levels) },
      // Few different values, so that names often decide.
      matchingPrecedence: random.pick([2, 50, 100, 100, 500, 1000, 9000, 9950]),
      ...(random.chance(0.7) && { distinguisherMethod: { type: random.pick(['ByUser', 'ByNamespace']) } }),
      rules: Array.from({ length: 1 + random.below(3) }, () => createRule(random, words)),
    },
  }
}

function createRule(random: Random, words: FlowVocabulary): JsonObject {
  const hasResources = random.chance(0.8)
  return {
    subjects: Array.from({ length: 1 + random.below(3) }, () => createSubject(random, words)),
    ...(hasResources && { resourceRules: Array.from({ length: 1 + random.below(2) }, () => createResourceRule(random, words)) }),
    ...((!hasResources || random.chance(0.3)) && {
      nonResourceRules: [
        { verbs: pickVerbs(random), nonResourceURLs: random.chance(0.2) ? ['*'] : pickSome(random, [...paths, '/apis/*', '/healthz/*']) },
      ],
    }),
  }
}

function createSubject(random: Random, words: FlowVocabulary): JsonObject {
  const kind = random.weighted({ User: 3, Group: 4, ServiceAccount: 3 })
  if (kind === 'User') return { kind, user: { name: random.chance(0.05) ? '*' : random.pick(words.users) } }
  if (kind === 'Group') {
    const name = random.chance(0.2)
      ? random.pick(['system:authenticated', 'system:unauthenticated', 'system:serviceaccounts', '*'])
      : random.pick(words.groups)
    return { kind, group: { name } }
  }
  const { namespace, name } = random.pick(words.accounts)
  return { kind, serviceAccount: { namespace, name: random.chance(0.3) ? '*' : name } }
}

function createResourceRule(random: Random, { namespaces }: FlowVocabulary): JsonObject {
  const pickResource = (): string => {
    const { resource, subresources } = random.pick(resources)
    return subresources.length > 0 && random.chance(0.3) ? `${resource}/${random.pick<string>(subresources)}` : resource
  }
  const clusterScope = random.chance(0.4)
  const named = random.chance(0.4) ? ['*'] : pickSome(random, [...namespaces, 'default'])
  return {
    verbs: pickVerbs(random),
    apiGroups: random.chance(0.4) ? ['*'] : pickSome(random, ['', 'apps', 'coordination.k8s.io', 'example.com']),
    resources: random.chance(0.3) ? ['*'] : Array.from(new Set(Array.from({ length: 1 + random.below(3) }, pickResource))),
    clusterScope,
    ...((!clusterScope || random.chance(0.7)) && { namespaces: named }),
  }
}

function pickVerbs(random: Random): string[] {
  return random.chance(0.3) ? ['*'] : pickSome(random, verbs)
}

function pickSome<T>(random: Random, from: readonly T[]): T[] {
  return Array.from(new Set(Array.from({ length: 1 + random.below(3) }, () => random.pick(from))))
}

export function createRandomRequest(random: Random, words: FlowVocabulary): FlowRequest {
  const identity = createIdentity(random, words)
  if (random.chance(0.2)) return { ...identity, method: random.pick(['GET', 'GET', 'POST', 'HEAD']), path: random.pick(paths) }
  const { group, version, resource, subresources } = random.pick(resources)
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const scope = random.chance(0.7) ? `/namespaces/${random.pick([...words.namespaces, 'default'])}` : ''
  const verb = random.pick(verbs)
  const collection = `${root}${scope}/${resource}`
  const object = `${collection}/a${subresources.length > 0 && random.chance(0.2) ? `/${random.pick<string>(subresources)}` : ''}`
  switch (verb) {
    case 'list':
      return {
        ...identity,
        method: 'GET',
        path: collection + random.pick(['', '?limit=1', '?labelSelector=a', '?limit=x', '?fieldSelector=metadata.name%3Da']),
      }
    case 'watch':
      return { ...identity, method: 'GET', path: `${collection}?watch=${random.pick(['1', 'true'])}&timeoutSeconds=1` }
    case 'create':
      return { ...identity, method: 'POST', path: random.chance(0.8) ? collection : object }
    case 'deletecollection':
      return { ...identity, method: 'DELETE', path: collection }
    default:
      return { ...identity, method: { get: 'GET', update: 'PUT', patch: 'PATCH', delete: 'DELETE' }[verb], path: object }
  }
}

function createIdentity(random: Random, words: FlowVocabulary): { user: string; groups: string[] } {
  const groups = words.groups.filter(() => random.chance(0.25))
  if (random.chance(0.6)) return { user: random.pick(words.users), groups }
  if (random.chance(0.1)) return { user: 'system:anonymous', groups: [] }
  const { namespace, name } = random.pick(words.accounts)
  return { user: `system:serviceaccount:${namespace}:${name}`, groups: random.chance(0.3) ? groups : [] }
}
