import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import type { Definition } from './definitions.ts'

export const podLikes = '/apis/bench.example.com/v1/namespaces/bench/podlikes'

const rules = [
  { rule: 'self.containers.all(c, size(c.name) > 0)', message: 'containers need names' },
  { rule: "self.restartPolicy in ['Always', 'OnFailure', 'Never']" },
  { rule: 'self.terminationGracePeriodSeconds >= 0' },
  { rule: '!has(self.volumes) || self.volumes.all(v, size(v.name) < 64)' },
  { rule: 'self.restartPolicy == oldSelf.restartPolicy', message: 'restartPolicy is immutable' },
]

/** Defaults of fields that pods have too. */
const podDefaults: Readonly<Record<string, JsonValue>> = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  terminationGracePeriodSeconds: 30,
}
const containerDefaults: Readonly<Record<string, JsonValue>> = {
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
}

/** Returns the definition of a custom resource with the fields of the given pods, defaults and five rules. */
export function createPodLikeDefinition(pods: readonly JsonObject[]): Definition {
  const spec = deriveSchema(pods.map((pod) => pod['spec'] ?? {}))
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  addDefaults(spec, podDefaults)
  const containers = (spec['properties'] as { containers: { items: JsonObject } }).containers
  addDefaults(containers.items, containerDefaults)
  const schema = { type: 'object', properties: { spec: { ...spec, 'x-kubernetes-validations': rules }, status } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'podlikes.bench.example.com' },
    spec: {
      group: 'bench.example.com',
      scope: 'Namespaced',
      names: { kind: 'PodLike', plural: 'podlikes' },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: schema } }],
    },
  } as Definition
}

/** Returns an object with the fields of a pod. */
export function createPodLikeObject({ metadata, spec }: JsonObject): JsonObject {
  return { apiVersion: 'bench.example.com/v1', kind: 'PodLike', metadata: metadata ?? {}, spec: spec ?? {} }
}

/** Returns a structural schema that the given values satisfy. Lists and strings have limits, as rules need them. */
function deriveSchema(values: readonly JsonValue[]): JsonObject {
  const [first] = values
  if (Array.isArray(first)) {
    const items = values.filter(Array.isArray).flat()
    return { type: 'array', maxItems: 32, items: deriveSchema(items) }
  }
  if (typeof first === 'object' && first !== null) {
    const objects = values as readonly JsonObject[]
    const names = new Set(objects.flatMap((object) => Object.keys(object)))
    const listMembers = (name: string): JsonValue[] => objects.map((object) => object[name]).filter((member) => member !== undefined)
    return { type: 'object', properties: Object.fromEntries([...names].map((name) => [name, deriveSchema(listMembers(name))])) }
  }
  if (typeof first === 'string') return { type: 'string', maxLength: 1024 }
  return { type: typeof first === 'boolean' ? 'boolean' : 'integer' }
}

function addDefaults(schema: JsonObject, defaults: Readonly<Record<string, JsonValue>>): void {
  const properties = schema['properties'] as JsonObject
  for (const [name, value] of Object.entries(defaults)) {
    const knownJsonObject = properties[name] as JsonObject | undefined
    properties[name] = { ...(knownJsonObject ?? deriveSchema([value])), default: value }
  }
}
