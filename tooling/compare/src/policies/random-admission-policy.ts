import type { JsonObject } from '@keelson/apimachinery'
import type { Random } from '../cases/random.ts'
import { createParamRef, pickParamKind } from './random-params.ts'

/** Expressions of validations and match conditions. Many of them fail for some objects. */
export const conditions = [
  'true',
  'false',
  "object.metadata.name.startsWith('a')",
  "has(object.metadata.labels) && object.metadata.labels.exists(k, k == 'team')",
  "object.?metadata.?labels['team'].orValue('none') == 'a'",
  "object.metadata.labels.team == 'b'",
  'size(object.metadata.name) < 4',
  'oldObject == null',
  "request.operation == 'CREATE'",
  "request.operation != 'DELETE' || oldObject.metadata.name != 'a1'",
  'object == null || !has(object.spec)',
  'request.dryRun',
  "namespaceObject.metadata.labels['kubernetes.io/metadata.name'].startsWith('compare')",
  'namespaceObject.spec.finalizers.size() > 0 && has(namespaceObject.status.phase)',
  "object.data.max == '5'",
  'int(object.data.max) > 3',
  'object.spec.replicas <= 3',
  "object.spec.template.spec.containers.all(c, c.image.contains('/'))",
  'has(object.status)',
  'has(object.status.phase)',
  'has(object.metadata.creationTimestamp) && has(object.metadata.uid)',
  "request.options.kind == 'CreateOptions' && has(request.options.fieldManager)",
  "request.kind.version == 'v1' && request.resource.resource != 'pods'",
  "has(request.name) && request.name != ''",
  'has(request.subResource)',
  'request.requestKind == request.kind',
  "authorizer.requestResource.check('get').allowed()",
  "authorizer.group('apps').resource('deployments').namespace('default').check('delete').allowed()",
  "authorizer.serviceAccount('default', 'default').group('').resource('pods').check('list').allowed()",
  "object.metadata.name.matches('^a[0-9]+$')",
  "object.kind == 'Pod' && object.apiVersion == 'v1'",
  '1 / (object.metadata.name.size() - 2) > 0',
  '[1, 2, 3].map(x, x * object.metadata.name.size()).exists(y, y > 7)',
  "quantity(object.spec.containers[0].resources.limits.memory).isGreaterThan(quantity('1Gi'))",
  "has(object.spec.clusterIP) && object.spec.clusterIP != ''",
  'dyn(object) == dyn(oldObject)',
  'object.metadata.generation == 1',
  'size(object.metadata) > 4',
  'size(object) == 4',
  'object.spec.template.spec.containers[0].resources == {}',
  'has(object.spec.strategy)',
  'has(object.spec.tolerations)',
]

export const variables = [
  { name: 'n', expression: 'object.metadata.name' },
  { name: 'l', expression: 'object.?metadata.?labels.orValue({})' },
  { name: 'b', expression: 'object.data.none' },
  { name: 'm', expression: 'int(object.data.max) + variables.n.size()' },
]
const withVariables = [
  'variables.n.size() < 4',
  "'team' in variables.l",
  "variables.b == 'x'",
  'variables.m > 3',
  "variables.n.startsWith('a') || variables.b == 'x'",
]
const withParams = [
  'params != null',
  "params.data.max == '5'",
  'int(params.data.max) > object.metadata.name.size()',
  "params.kind == 'ConfigMap' && params.apiVersion == 'v1'",
  "params.metadata.name == 'p1'",
  "params.data.none == 'x'",
  "params.kind.endsWith('Limit')",
  "params.?metadata.?namespace.orValue('') == request.namespace",
]
const messages = [
  "'name ' + object.metadata.name",
  "'  '",
  "'a\\nb'",
  "request.operation + ' by ' + request.userInfo.username",
  'string(object.data.max)',
]
const labels: readonly JsonObject[] = [{ team: 'a' }, { team: 'b' }, { x: 'y' }]

/** A policy and a binding that applies it in one namespace. Several bindings would deny in a random order. */
export interface BoundPolicy {
  readonly plural: 'validatingadmissionpolicies' | 'mutatingadmissionpolicies'
  readonly policy: JsonObject
  readonly binding: JsonObject
}

/** Creates a policy. Some of its parts are rejected or fail, because the responses to those are compared too. */
export function createRandomAdmissionPolicy(random: Random, name: string, namespace: string): BoundPolicy {
  const paramKind = random.chance(0.4) ? pickParamKind(random) : undefined
  const hasParams = paramKind !== undefined
  const hasVariables = random.chance(0.35)
  const expressions = [...conditions, ...repeat(hasVariables ? withVariables : []), ...repeat(hasParams ? withParams : [])]
  const createValidation = (): JsonObject => ({
    expression: random.pick(expressions),
    ...(random.chance(0.4) && { message: random.pick(['plain message', ' spaced ']) }),
    ...(random.chance(0.4) && { messageExpression: random.pick(messages) }),
    ...(random.chance(0.3) && { reason: random.pick(['Forbidden', 'Invalid', 'Unauthorized', 'RequestEntityTooLarge']) }),
  })
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: random.pick(['Fail', 'Fail', 'Ignore']),
      matchConstraints: createMatchConstraints(random),
      validations: createSeveral(random, 4, createValidation),
      ...(hasVariables && { variables }),
      ...(paramKind && { paramKind: { apiVersion: paramKind.apiVersion, kind: paramKind.kind } }),
      ...(random.chance(0.25) && { matchConditions: [{ name: 'c', expression: random.pick(conditions) }] }),
      ...(random.chance(0.15) && {
        auditAnnotations: [{ key: 'k', valueExpression: random.pick(["'x'", 'string(object.data.none)', "object.metadata.name + ''"]) }],
      }),
    },
  }
  const binding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: {
      policyName: name,
      validationActions: random.pick([['Deny'], ['Deny'], ['Deny', 'Audit'], ['Warn'], ['Audit', 'Warn']]),
      matchResources: createMatchResources(random, namespace),
      ...(paramKind && random.chance(0.92) && { paramRef: createParamRef(random, paramKind, namespace) }),
    },
  }
  return { plural: 'validatingadmissionpolicies', policy, binding }
}

/** Creates the criteria of a binding for one namespace. */
export function createMatchResources(random: Random, namespace: string): JsonObject {
  const expression = random.pick<JsonObject>([
    { key: 'kubernetes.io/metadata.name', operator: 'Exists' },
    { key: 'tier', operator: 'In', values: ['x', 'y'] },
    { key: 'tier', operator: 'DoesNotExist' },
  ])
  return {
    ...(random.chance(0.3) && { matchPolicy: random.pick(['Exact', 'Equivalent']) }),
    namespaceSelector: {
      matchLabels: { 'kubernetes.io/metadata.name': namespace },
      ...(random.chance(0.15) && { matchExpressions: [expression] }),
    },
    ...(random.chance(0.1) && { objectSelector: { matchLabels: { team: 'a' } } }),
    ...(random.chance(0.1) && { resourceRules: [createRule(random)] }),
    ...(random.chance(0.08) && { excludeResourceRules: [createRule(random)] }),
  }
}

/** Repeats expressions, so that they are picked more often. */
export function repeat(expressions: readonly string[]): readonly string[] {
  return Array.from({ length: 8 }, () => expressions).flat()
}

export function createSeveral<Item>(random: Random, maximum: number, create: () => Item): Item[] {
  return Array.from({ length: 1 + random.below(maximum) }, create)
}

export function createMatchConstraints(random: Random): JsonObject {
  const selectors = [
    { matchLabels: { team: 'a' } },
    { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] },
    { matchExpressions: [{ key: 'team', operator: 'Exists' }] },
  ]
  const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'] }
  return {
    matchPolicy: random.pick(['Exact', 'Equivalent']),
    resourceRules: createSeveral(random, 2, () => createRule(random)),
    ...(random.chance(0.2) && { excludeResourceRules: [{ ...everything, resources: [random.pick(['pods', 'services', '*/scale'])] }] }),
    ...(random.chance(0.2) && { objectSelector: random.pick(selectors) }),
  }
}

function createRule(random: Random): JsonObject {
  const [group, resources] = random.pick<readonly [string, string[]]>([
    ['', ['configmaps']],
    ['', ['pods']],
    ['', ['configmaps', 'pods', 'services']],
    ['', ['pods/status', 'services']],
    ['apps', ['deployments']],
    ['apps', ['deployments/*', 'deployments']],
    ['autoscaling', ['horizontalpodautoscalers']],
    ['*', ['*']],
    ['*', ['*/*']],
  ])
  return {
    apiGroups: [group],
    apiVersions: [random.pick(['*', 'v1', 'v1', 'v2'])],
    operations: random.pick([['*'], ['CREATE'], ['CREATE', 'UPDATE'], ['UPDATE', 'DELETE'], ['DELETE']]),
    resources,
    ...(random.chance(0.2) && { scope: random.pick(['Namespaced', '*', 'Cluster']) }),
    ...(random.chance(0.15) && { resourceNames: ['a1', 'abc'] }),
  }
}

/** Creates an object with its path within the namespace. */
export function createRandomObject(random: Random, namespace: string): { readonly path: string; readonly body: JsonObject } {
  const name = random.pick(['a1', 'abc', 'b', 'abcd', 'longername'])
  const metadata = { name, ...(random.chance(0.6) && { labels: random.pick(labels) }) }
  const limits = random.pick<JsonObject>([{}, { resources: { limits: { cpu: '1', memory: random.pick(['2Gi', '5Mi']) } } }])
  const pod = { containers: [{ name: 'c', image: random.pick(['nginx', 'r.io/nginx']), ...limits }] }
  const formatPath = (root: string, resource: string): string => `${root}/namespaces/${namespace}/${resource}`
  switch (random.weighted({ configMap: 4, pod: 3, service: 1, deployment: 2, autoscaler: 1 })) {
    case 'configMap':
      return {
        path: formatPath('/api/v1', 'configmaps'),
        body: { metadata, data: random.pick([{ max: '5' }, { max: '2' }, { max: 'x' }, {}]) },
      }
    case 'pod':
      return { path: formatPath('/api/v1', 'pods'), body: { metadata, spec: pod } }
    case 'service':
      return { path: formatPath('/api/v1', 'services'), body: { metadata, spec: { ports: [{ port: 80 }], clusterIP: 'None' } } }
    case 'deployment':
      return {
        path: formatPath('/apis/apps/v1', 'deployments'),
        body: { metadata, spec: createDeploymentSpec(random.pick([1, 3, 9]), pod) },
      }
    default: {
      const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }
      const path = formatPath(random.pick(['/apis/autoscaling/v1', '/apis/autoscaling/v2']), 'horizontalpodautoscalers')
      return { path, body: { metadata, spec: { maxReplicas: 3, scaleTargetRef } } }
    }
  }
}

export function createDeploymentSpec(replicas: number, spec: JsonObject): JsonObject {
  return { replicas, selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec } }
}
