import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import type { Step } from '../cases/case.ts'
import type { Random } from '../cases/random.ts'
import { createDeploymentSpec, createRandomObject } from '../policies/random-admission-policy.ts'
import { setLabel } from './random-webhooks.ts'

/** The custom resource of the comparison. It is served in two versions. */
export const thingDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.compare.example.com' },
  spec: {
    group: 'compare.example.com',
    names: { plural: 'things', kind: 'Thing' },
    scope: 'Namespaced',
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            data: { type: 'object', additionalProperties: { type: 'string' } },
            spec: { type: 'object', properties: { replicas: { type: 'integer', default: 1 }, size: { type: 'string' } } },
            status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
    })),
  },
} satisfies JsonObject

/** The namespaced collections that are written to, with the path of their group and version. */
export const collections = [
  ['/api/v1', 'configmaps'],
  ['/api/v1', 'pods'],
  ['/api/v1', 'secrets'],
  ['/api/v1', 'services'],
  ['/api/v1', 'serviceaccounts'],
  ['/apis/apps/v1', 'deployments'],
  ['/apis/autoscaling/v1', 'horizontalpodautoscalers'],
  ['/apis/autoscaling/v2', 'horizontalpodautoscalers'],
  ['/apis/compare.example.com/v1', 'things'],
  ['/apis/compare.example.com/v2', 'things'],
  ['/apis/coordination.k8s.io/v1', 'leases'],
] as const

const names = ['a1', 'a1', 'a1', 'abc', 'b']
const merge = { 'content-type': 'application/merge-patch+json' }
const jsonPatch = { 'content-type': 'application/json-patch+json' }
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }

/** Creates the objects that exist in a namespace before its webhooks. */
export function createExistingObjects(namespace: string): readonly Step[] {
  const metadata = { name: 'a1', labels: { team: 'b' } }
  const pod = { containers: [{ name: 'c', image: 'nginx' }] }
  const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }
  const thing = { apiVersion: 'compare.example.com/v1', kind: 'Thing', metadata, spec: {} }
  const create = (root: string, resource: string, body: JsonObject): Step => ({
    method: 'POST',
    path: `${root}/namespaces/${namespace}/${resource}`,
    body,
  })
  return [
    create('/api/v1', 'configmaps', { metadata, data: { max: '5' } }),
    create('/api/v1', 'pods', { metadata, spec: pod }),
    create('/api/v1', 'secrets', { metadata }),
    create('/apis/apps/v1', 'deployments', { metadata, spec: createDeploymentSpec(2, pod) }),
    create('/apis/autoscaling/v2', 'horizontalpodautoscalers', { metadata, spec: { maxReplicas: 3, scaleTargetRef } }),
    create('/apis/compare.example.com/v1', 'things', thing),
    create('/apis/coordination.k8s.io/v1', 'leases', { metadata, spec: {} }),
  ]
}

/** Creates a write to a random object of a namespace, or to a cluster-scoped object of its set. The object may not exist. */
export function createRandomWrite(random: Random, namespace: string): Step {
  const query = createQuery(random)
  switch (
    random.weighted({ create: 8, patch: 6, apply: 2, replace: 2, delete: 3, deleteSeveral: 1, subresource: 5, connect: 1, cluster: 2 })
  ) {
    case 'create':
      return createObject(random, namespace, query)
    case 'patch':
      return patchObject(random, namespace, query)
    case 'apply':
      return applyObject(random, namespace, query)
    case 'replace':
      return replaceObject(random, namespace, query)
    case 'delete': {
      const body = random.pick<JsonObject | undefined>([
        undefined,
        undefined,
        { gracePeriodSeconds: 0 },
        { propagationPolicy: 'Foreground' },
        { preconditions: { uid: '00000000-0000-0000-0000-000000000001' } },
      ])
      return { method: 'DELETE', path: `${pickObject(random, namespace)}${query}`, ...(body && { body }) }
    }
    case 'deleteSeveral': {
      const selector = random.pick(['', 'team%3Da', 'team', '!team'])
      const path = `${pickCollection(random, namespace)}${query}${query === '' ? '?' : '&'}labelSelector=${selector}`
      return { method: 'DELETE', path }
    }
    case 'subresource':
      return writeSubresource(random, namespace, query)
    case 'connect':
      return random.pick<Step>([
        { method: 'GET', path: `/api/v1/namespaces/${namespace}/pods/a1/exec?command=date&stdout=true` },
        { method: 'GET', path: `/api/v1/namespaces/${namespace}/pods/${random.pick(names)}/attach?stdin=true` },
        { method: 'POST', path: `/api/v1/namespaces/${namespace}/services/none/proxy/a/b`, body: { a: 1 } },
      ])
    default:
      return writeClusterObject(random, namespace, query)
  }
}

function createQuery(random: Random): string {
  const parameters = [
    ...(random.chance(0.3) ? ['dryRun=All'] : []),
    ...(random.chance(0.1) ? ['fieldManager=me'] : []),
    ...(random.chance(0.1) ? [`fieldValidation=${random.pick(['Strict', 'Ignore', 'Warn'])}`] : []),
  ]
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`
}

function pickLabels(random: Random): JsonObject {
  return random.pick<JsonObject>([{ team: 'a' }, { team: 'b' }, { x: 'y' }])
}

function createObject(random: Random, namespace: string, query: string): Step {
  const isGenerated = random.chance(0.08)
  const nameObject = (metadata: JsonObject): JsonObject =>
    isGenerated ? { ...metadata, name: undefined as unknown as JsonValue, generateName: 'generated-' } : metadata
  if (random.chance(0.7)) {
    const { path, body } = createRandomObject(random, namespace)
    return { method: 'POST', path: path + query, body: { ...body, metadata: nameObject(body['metadata'] as JsonObject) } }
  }
  const metadata = nameObject({ name: random.pick(names), ...(random.chance(0.6) && { labels: pickLabels(random) }) })
  return random.pick<Step>([
    { method: 'POST', path: `/api/v1/namespaces/${namespace}/secrets${query}`, body: { metadata, stringData: { a: 'b' } } },
    createThing(random, namespace, metadata, query),
    createThing(random, namespace, metadata, query),
    {
      method: 'POST',
      path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${query}`,
      body: { metadata, spec: { holderIdentity: 'me' } },
    },
  ])
}

function createThing(random: Random, namespace: string, metadata: JsonObject, query: string): Step {
  const version = random.pick(['v1', 'v2'])
  const body = {
    apiVersion: `compare.example.com/${version}`,
    kind: 'Thing',
    metadata,
    spec: random.pick<JsonObject>([{}, { replicas: 3 }, { size: 'x', unknown: 1 }]),
  }
  return { method: 'POST', path: `/apis/compare.example.com/${version}/namespaces/${namespace}/things${query}`, body }
}

function pickCollection(random: Random, namespace: string): string {
  const [group, resource] = random.pick([...collections, ...collections.slice(0, 2)])
  return `${group}/namespaces/${namespace}/${resource}`
}

function pickObject(random: Random, namespace: string): string {
  return `${pickCollection(random, namespace)}/${random.pick(names)}`
}

function patchObject(random: Random, namespace: string, query: string): Step {
  const path = `${pickObject(random, namespace)}${query}`
  const body = random.pick<JsonObject>([
    { metadata: { labels: { team: random.pick(['a', 'z']) } } },
    { metadata: { annotations: { x: random.pick(['1', '2']) } } },
    { metadata: { labels: null } },
    { metadata: { finalizers: null } },
  ])
  const operations = random.pick<JsonValue>([
    [{ op: 'add', path: '/metadata/labels', value: { team: 'a' } }],
    [{ op: 'replace', path: '/metadata/labels/team', value: 'q' }],
    [{ op: 'add', path: '/data', value: { max: '9' } }],
  ])
  switch (random.weighted({ merge: 4, json: 2, strategic: 2 })) {
    case 'merge':
      return { method: 'PATCH', path, headers: merge, body }
    case 'json':
      return { method: 'PATCH', path, headers: jsonPatch, body: operations }
    default:
      return { method: 'PATCH', path, headers: strategic, body }
  }
}

function applyObject(random: Random, namespace: string, query: string): Step {
  const name = random.pick(names)
  const metadata = { name, labels: pickLabels(random) }
  const [group, apiVersion, kind, plural, rest] = random.pick<readonly [string, string, string, string, JsonObject]>([
    ['/api/v1', 'v1', 'ConfigMap', 'configmaps', { data: { max: random.pick(['1', '5']) } }],
    ['/apis/compare.example.com/v2', 'compare.example.com/v2', 'Thing', 'things', { spec: { size: 'y' } }],
    ['/api/v1', 'v1', 'Pod', 'pods', { spec: { containers: [{ name: 'c', image: 'nginx' }] } }],
  ])
  const parameters = query.includes('fieldManager') ? query : `${query}${query === '' ? '?' : '&'}fieldManager=applier`
  const path = `${group}/namespaces/${namespace}/${plural}/${name}${parameters}&force=${random.pick(['true', 'false'])}`
  return { method: 'PATCH', path, headers: apply, body: { apiVersion, kind, metadata, ...rest } }
}

function replaceObject(random: Random, namespace: string, query: string): Step {
  const name = random.pick(names)
  const metadata = { name, ...(random.chance(0.6) && { labels: pickLabels(random) }) }
  return random.pick<Step>([
    {
      method: 'PUT',
      path: `/api/v1/namespaces/${namespace}/configmaps/${name}${query}`,
      body: { metadata, data: { max: random.pick(['1', 'x']) } },
    },
    {
      method: 'PUT',
      path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}${query}`,
      body: { metadata, spec: { holderIdentity: random.pick(['me', 'you']) } },
    },
  ])
}

function writeSubresource(random: Random, namespace: string, query: string): Step {
  const core = `/api/v1/namespaces/${namespace}`
  const name = random.pick(names)
  const version = random.pick(['v1', 'v2'])
  const thing = `/apis/compare.example.com/${version}/namespaces/${namespace}/things/${name}`
  const ephemeral = { spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] } }
  const zeroGrace = { ...(random.chance(0.6) && { deleteOptions: { gracePeriodSeconds: random.pick([0, 5]) } }) }
  return random.pick<Step>([
    { method: 'PATCH', path: `${core}/pods/${name}/status${query}`, headers: merge, body: { status: { phase: 'Running' } } },
    {
      method: 'POST',
      path: `${core}/pods/${name}/eviction${query}`,
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...zeroGrace },
    },
    {
      method: 'POST',
      path: `${core}/pods/${name}/binding${query}`,
      body: { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: 'n1' } },
    },
    { method: 'PATCH', path: `${core}/pods/${name}/ephemeralcontainers${query}`, headers: strategic, body: ephemeral },
    { method: 'POST', path: `${core}/serviceaccounts/default/token${query}`, body: { spec: { audiences: ['x'], expirationSeconds: 600 } } },
    {
      method: 'PATCH',
      path: `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/scale${query}`,
      headers: merge,
      body: { spec: { replicas: random.pick([2, 9]) } },
    },
    { method: 'PATCH', path: `${thing}/scale${query}`, headers: merge, body: { spec: { replicas: random.pick([2, 9]) } } },
    { method: 'PATCH', path: `${thing}/status${query}`, headers: merge, body: { status: { phase: random.pick(['x', 'y']) } } },
    {
      method: 'PATCH',
      path: `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/status${query}`,
      headers: merge,
      body: { status: { observedGeneration: 1 } },
    },
  ])
}

/** Writes a namespace, or a cluster role with the label of the set. */
function writeClusterObject(random: Random, namespace: string, query: string): Step {
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
  const name = `${namespace}-role`
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
  const labels = { team: random.pick(['a', 'b']), ...(random.chance(0.8) && { [setLabel]: namespace }) }
  return random.pick<Step>([
    { method: 'POST', path: `${roles}${query}`, body: { metadata: { name, labels }, rules } },
    { method: 'PATCH', path: `${roles}/${name}${query}`, headers: merge, body: { metadata: { labels } } },
    { method: 'DELETE', path: `${roles}/${name}${query}` },
    { method: 'PATCH', path: `/api/v1/namespaces/${namespace}${query}`, headers: merge, body: { metadata: { labels } } },
  ])
}
