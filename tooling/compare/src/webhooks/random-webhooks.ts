import type { JsonObject } from '@keelson/apimachinery'
import type { Random } from '../cases/random.ts'
import { conditions } from '../policies/random-admission-policy.ts'
import { allowing, changing, failing, hanging } from './hook-behaviors.ts'
import type { HookServer } from './hook-server.ts'

/** The webhook configurations that apply to one namespace, and to cluster-scoped objects with its label. */
export interface WebhookSet {
  readonly mutating: JsonObject
  readonly validating: JsonObject
}

/** Label of cluster-scoped objects. Its value is the namespace whose webhooks apply to them. */
export const setLabel = 'compare-set'
/** Name of the service of type ExternalName at which webhooks are reached, too. */
export const hookService = 'hooks'
/** A certificate that signs no webhook. */
const otherAuthority = 'LS0tLS1CRUdJTi'

export interface WebhookSetOptions {
  readonly name: string
  /** Namespace of the service `hookService`. */
  readonly serviceNamespace: string
}

/**
 * Creates the webhooks of a namespace. Only the last validating webhook may fail or warn, because kube-apiserver calls all of them at the same
 * time and answers with the first error. Replace the placeholders with `fillPlaceholders`.
 */
export function createRandomWebhooks(random: Random, options: WebhookSetOptions): WebhookSet {
  const mutating = Array.from({ length: Number(random.weighted({ 0: 1, 1: 3, 2: 4, 3: 2, 4: 1 })) }, (_, index) => {
    const behavior = random.weighted({ allow: 3, change: 10, fail: 1, hang: 0.1 })
    return createWebhook(random, { ...options, type: 'mutating', index, behavior: pickBehavior(random, behavior) })
  })
  const count = random.below(3) + (mutating.length === 0 ? 1 : 0)
  const validating = Array.from({ length: count }, (_, index) => {
    const isLast = index === count - 1
    const behavior = isLast ? random.weighted({ allow: 6, fail: 6, change: 0.3, hang: 0.1 }) : 'allow'
    return createWebhook(random, {
      ...options,
      type: 'validating',
      index,
      behavior: pickBehavior(random, behavior),
      isReachable: !isLast,
    })
  })
  const createConfiguration = (kind: string, webhooks: readonly JsonObject[]): JsonObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: options.name },
    webhooks: [...webhooks],
  })
  return {
    mutating: createConfiguration('MutatingWebhookConfiguration', mutating),
    validating: createConfiguration('ValidatingWebhookConfiguration', validating),
  }
}

/** Replaces the placeholders of a configuration by the address and the authority of a webhook server. */
export function fillPlaceholders(configuration: JsonObject, { url, port, caBundle }: HookServer): JsonObject {
  const text = JSON.stringify(configuration)
    .replaceAll('<url>', url)
    .replaceAll('<port>', String(port))
    .replaceAll('<authority>', caBundle)
    .replaceAll('"<port number>"', String(port))
  return JSON.parse(text) as JsonObject
}

function pickBehavior(random: Random, kind: 'allow' | 'change' | 'fail' | 'hang'): string {
  if (kind === 'allow') return random.pick(Object.keys(allowing))
  if (kind === 'change') {
    const often = ['label', 'label', 'label-team', 'label-team', 'count', 'count', 'sidecar', 'data', 'unlabel']
    return `change-${random.chance(0.7) ? random.pick(often) : random.pick(Object.keys(changing))}`
  }
  return kind === 'fail' ? `fail-${random.pick(Object.keys(failing))}` : hanging
}

interface WebhookOptions extends WebhookSetOptions {
  readonly type: 'mutating' | 'validating'
  readonly index: number
  readonly behavior: string
  /** Whether the webhook can be called in any case. Default: a few cannot. */
  readonly isReachable?: boolean
}

function createWebhook(random: Random, options: WebhookOptions): JsonObject {
  const { name, type, index, behavior } = options
  const coversClusterScope = random.chance(0.2)
  const expressions = Array.from({ length: random.weighted({ 0: 16, 1: 3 }) === '0' ? 0 : 1 + random.below(2) }, (_, n) => ({
    name: `c${n}`,
    expression: random.pick(conditions),
  }))
  return {
    name: `${type[0]}${index}.${name}.example.com`,
    clientConfig: createClientConfig(random, options),
    rules: Array.from({ length: 1 + random.below(3) }, () => createRule(random, coversClusterScope)),
    admissionReviewVersions: random.pick([['v1'], ['v1'], ['v1', 'v1beta1'], ['v1beta1', 'v1'], ['v1beta1'], ['v7', 'v1']]),
    sideEffects: random.pick(['None', 'None', 'NoneOnDryRun']),
    ...(random.chance(0.8) && { failurePolicy: random.pick(['Fail', 'Ignore', 'Ignore']) }),
    ...(random.chance(0.7) && { matchPolicy: random.pick(['Exact', 'Equivalent']) }),
    ...(behavior === hanging ? { timeoutSeconds: 1 } : random.chance(0.6) && { timeoutSeconds: random.pick([1, 5, 30]) }),
    namespaceSelector: createNamespaceSelector(random, name),
    ...createObjectSelector(random, name, coversClusterScope),
    ...(expressions.length > 0 && { matchConditions: expressions }),
    ...(type === 'mutating' && random.chance(0.5) && { reinvocationPolicy: random.pick(['Never', 'IfNeeded', 'IfNeeded']) }),
  }
}

function createClientConfig(random: Random, options: WebhookOptions): JsonObject {
  const { name, type, index, behavior, serviceNamespace, isReachable = false } = options
  const path = `/${name}/${type[0]}${index}/${behavior}`
  if (isReachable) return { url: `<url>${path}`, caBundle: '<authority>' }
  switch (random.weighted({ url: 14, localhost: 1, odd: 0.6, service: 2, missing: 0.3, refused: 0.3, untrusted: 0.3, unverified: 0.2 })) {
    case 'url':
      return { url: `<url>${path}`, caBundle: '<authority>' }
    case 'localhost':
      return { url: `https://localhost:<port>${path}`, caBundle: '<authority>' }
    case 'odd':
      return { url: `<url>${random.pick([`/${path}//`, `${path}/`, `${path}/./more`, `${path}/a%20b`])}`, caBundle: '<authority>' }
    case 'service': {
      const service = {
        namespace: serviceNamespace,
        name: hookService,
        port: '<port number>',
        path: `${path}${random.pick(['', '/more'])}`,
      }
      return { service, caBundle: '<authority>' }
    }
    case 'missing':
      return { service: { namespace: serviceNamespace, name: 'missing', path } }
    case 'refused':
      return { url: `https://127.0.0.1:1${path}` }
    case 'untrusted':
      return { url: `<url>${path}` }
    default:
      return { url: `<url>${path}`, caBundle: Buffer.from(otherAuthority).toString('base64') }
  }
}

/** Selects the namespace of the set, usually without further conditions. */
function createNamespaceSelector(random: Random, namespace: string): JsonObject {
  const matchLabels = { 'kubernetes.io/metadata.name': namespace }
  const expression = random.pick<JsonObject>([
    { key: 'team', operator: 'Exists' },
    { key: 'team', operator: 'In', values: ['a', 'b'] },
    { key: 'team', operator: 'NotIn', values: ['z'] },
    { key: 'team', operator: 'DoesNotExist' },
  ])
  return { matchLabels, ...(random.chance(0.12) && { matchExpressions: [expression] }) }
}

/** Limits webhooks that cover cluster-scoped objects to those of the set, because namespace selectors do not apply to them. */
function createObjectSelector(random: Random, name: string, coversClusterScope: boolean): JsonObject {
  if (coversClusterScope) return { objectSelector: { matchLabels: { [setLabel]: name } } }
  const selectors: readonly JsonObject[] = [
    { matchLabels: { team: 'a' } },
    { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] },
    { matchExpressions: [{ key: 'hooked', operator: 'Exists' }] },
    {},
  ]
  return random.chance(0.25) ? { objectSelector: random.pick(selectors) } : {}
}

function createRule(random: Random, coversClusterScope: boolean): JsonObject {
  const everything: readonly [string, string[]][] = [
    ['*', ['*']],
    ['*', ['*/*']],
  ]
  const some: readonly [string, string[]][] = [
    ['', ['configmaps']],
    ['', ['pods']],
    ['', ['pods', 'pods/*']],
    ['', ['configmaps', 'pods', 'services', 'secrets', 'namespaces']],
    ['', ['pods/status', 'pods/eviction', 'pods/binding', 'services']],
    ['', ['pods/exec', 'serviceaccounts/token', 'services/proxy']],
    ['apps', ['deployments']],
    ['apps', ['deployments/*', 'deployments']],
    ['autoscaling', ['horizontalpodautoscalers']],
    ['compare.example.com', ['things']],
    ['compare.example.com', ['things', 'things/*']],
    ['rbac.authorization.k8s.io', ['clusterroles']],
    ['coordination.k8s.io', ['leases']],
    ['*', ['*/scale']],
  ]
  const [group, resources] = random.pick(random.chance(0.5) ? everything : some)
  return {
    apiGroups: [group],
    apiVersions: [random.pick(['*', '*', '*', 'v1', 'v1', 'v2'])],
    operations: random.pick([
      ['*'],
      ['*'],
      ['*'],
      ['*'],
      ['CREATE'],
      ['CREATE', 'UPDATE'],
      ['UPDATE', 'DELETE'],
      ['DELETE'],
      ['CONNECT', 'CREATE'],
    ]),
    resources,
    ...(coversClusterScope ? random.chance(0.5) && { scope: random.pick(['*', 'Cluster']) } : { scope: 'Namespaced' }),
  }
}
