import type { JsonObject } from '@keelson/apimachinery'
import type { Step } from '../cases/case.ts'
import type { Random } from '../cases/random.ts'

const group = 'params.compare.example.com'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** A kind of parameters of policies. */
export interface ParamKind {
  readonly apiVersion: string
  readonly kind: string
  readonly isNamespaced: boolean
}

const configMap: ParamKind = { apiVersion: 'v1', kind: 'ConfigMap', isNamespaced: true }
const limit: ParamKind = { apiVersion: `${group}/v1`, kind: 'Limit', isNamespaced: true }
const clusterLimit: ParamKind = { apiVersion: `${group}/v1`, kind: 'ClusterLimit', isNamespaced: false }
/** A built-in kind of which the compared servers have no objects. */
const node: ParamKind = { apiVersion: 'v1', kind: 'Node', isNamespaced: false }
const missing: ParamKind = { apiVersion: `${group}/v1`, kind: 'Missing', isNamespaced: true }

/** The kinds of parameters that have objects. */
export const usedParamKinds: readonly ParamKind[] = [configMap, limit, clusterLimit]

/** Creates the custom resources of parameters. */
export const definitionSteps: readonly Step[] = [limit, clusterLimit].map(({ kind, isNamespaced }) => {
  const plural = `${kind.toLowerCase()}s`
  const data = { type: 'object', additionalProperties: { type: 'string' } }
  const schema = { openAPIV3Schema: { type: 'object', properties: { data } } }
  const spec = {
    group,
    names: { plural, kind },
    scope: isNamespaced ? 'Namespaced' : 'Cluster',
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  }
  return { method: 'POST', path: definitions, body: { metadata: { name: `${plural}.${group}` }, spec } }
})

const values = [
  ['p1', '5', 'a'],
  ['p2', '3', 'b'],
] as const

/** Creates the cluster-scoped parameters, which all policies share. */
export const clusterParamSteps: readonly Step[] = values.map(([name, max, team]) =>
  createParam(`/apis/${group}/v1/clusterlimits`, clusterLimit, { metadata: { name, labels: { team } }, data: { max } }),
)

/** Creates the parameters of a namespace. */
export function createParamSteps(namespace: string): readonly Step[] {
  return values.flatMap(([name, max, team]) => {
    const body = { metadata: { name, labels: { team } }, data: { max } }
    return [
      createParam(`/api/v1/namespaces/${namespace}/configmaps`, configMap, body),
      createParam(`/apis/${group}/v1/namespaces/${namespace}/limits`, limit, body),
    ]
  })
}

function createParam(path: string, { apiVersion, kind }: ParamKind, body: JsonObject): Step {
  return { method: 'POST', path, body: { apiVersion, kind, ...body } }
}

export function pickParamKind(random: Random): ParamKind {
  const kinds = { configMap, limit, clusterLimit, node, missing }
  return kinds[random.weighted({ configMap: 10, limit: 5, clusterLimit: 4, node: 0.7, missing: 0.7 })]
}

/** Creates the reference of a binding to parameters. Some references find nothing, or are errors for cluster-scoped kinds. */
export function createParamRef(random: Random, { isNamespaced }: ParamKind, namespace: string): JsonObject {
  const reference = random.pick<JsonObject>([
    { name: 'p1' },
    { name: 'p2' },
    { name: 'p1' },
    { name: 'none' },
    { selector: { matchLabels: { team: 'a' } } },
    { selector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['b', 'c'] }] } },
    { selector: { matchLabels: { team: 'none' } } },
    { selector: {} },
  ])
  return {
    ...reference,
    ...(random.chance(isNamespaced ? 0.4 : 0.08) && { namespace: random.pick([namespace, namespace, `${namespace}-missing`]) }),
    parameterNotFoundAction: random.pick(['Allow', 'Deny']),
  }
}
