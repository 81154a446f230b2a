import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { isObject } from '../cases/locations.ts'
import type { Answer } from '../play/server.ts'

/** Parameters behind alpha gates, which only kube-apiserver documents. */
const alphaParameters: ReadonlySet<JsonValue> = new Set(['shardSelector', 'ignoreStoreReadErrorWithClusterBreakingPotential'])

/**
 * Returns the answer with an OpenAPI document in which the intended differences from kube-apiserver (docs/compatibility.md) are removed: version
 * 2 repeats parameters, parameters and built-in types have no descriptions, and `DeleteOptions` lists one group version.
 */
export function withoutIntendedDifferences(answer: Answer): Answer {
  const { body } = answer
  if (!isObject(body)) return answer
  const shared = isObject(body['parameters']) ? body['parameters'] : {}
  const components = isObject(body['components']) ? body['components'] : undefined
  return {
    ...answer,
    body: {
      ...body,
      ...(body['paths'] !== undefined && { paths: withPlainParameters(body['paths'], shared) }),
      ...(components && { components: { ...components, schemas: withPlainBuiltins(components['schemas']) } }),
      ...(body['definitions'] !== undefined && { definitions: withPlainBuiltins(body['definitions']) }),
    },
  }
}

/** Returns the paths of a document with complete parameters, without those behind alpha gates and without their descriptions. */
function withPlainParameters(value: JsonValue, shared: JsonObject): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map((item) => withPlainParameters(item, shared))
    return items.filter((item) => !isObject(item) || !alphaParameters.has(item['name'] ?? null))
  }
  if (!isObject(value)) return value
  const { $ref } = value
  if (typeof $ref === 'string' && $ref.startsWith('#/parameters/')) {
    return withPlainParameters(shared[$ref.slice('#/parameters/'.length)] ?? null, shared)
  }
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withPlainParameters(member, shared)]))
  if (value['in'] !== undefined && value['name'] !== undefined) delete members['description']
  return members
}

function withPlainBuiltins(schemas: JsonValue | undefined): JsonValue {
  if (!isObject(schemas)) return schemas ?? null
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, name.startsWith('io.k8s.api') ? withoutText(schema) : schema]),
  )
}

function withoutText(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutText)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([name, member]) => name !== 'description' || typeof member !== 'string')
  const plain = Object.fromEntries(members.map(([name, member]) => [name, withoutText(member)]))
  const kinds = plain['x-kubernetes-group-version-kind']
  return Array.isArray(kinds) ? { ...plain, 'x-kubernetes-group-version-kind': kinds.slice(0, 1) } : plain
}
