import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { setTimeout as wait } from 'node:timers/promises'
import type { Step } from '../cases/case.ts'
import { isObject } from '../cases/locations.ts'
import { findFirstDifference } from '../judge/first-difference.ts'
import type { Pair } from '../play/play-case.ts'
import type { Answer, Server } from '../play/server.ts'
import type { Judge } from './compare-definitions.ts'
import type { Definition } from './definition.ts'
import { withoutIntendedDifferences } from './openapi-document.ts'

/** Compares discovery and the OpenAPI documents of version 3 and 2 for the given definitions. */
export async function comparePublished(pair: Pair, definitions: readonly Definition[], judge: Judge): Promise<void> {
  for (const [group, members] of Map.groupBy(definitions, (definition) => definition.group)) {
    const versions = new Set(members.flatMap(({ versions }) => versions.map(({ name }) => name)))
    for (const version of versions) {
      const step = { method: 'GET', path: `/apis/${group}/${version}` }
      const served = members.filter(({ versions }) => versions.some(({ name }) => name === version))
      const [want, got] = await readBoth(pair, step, (body) => served.every(({ plural }) => includesResource(body, plural)))
      judge(`discovery ${group}/${version}`, step, findFirstDifference(sortResources(want), sortResources(got)))
      await compareDocument(pair, { group, version, served }, judge)
    }
    const step = { method: 'GET', path: `/apis/${group}` }
    const [want, got] = await readBoth(pair, step, isObject)
    judge(`discovery ${group}`, step, findFirstDifference(want, got))
  }
  await compareOldDocument(pair, definitions, judge)
}

interface ServedVersion {
  readonly group: string
  readonly version: string
  readonly served: readonly Definition[]
}

/** Compares the OpenAPI 3 document of a group version: each definition's schemas and paths, then the rest. */
async function compareDocument(pair: Pair, { group, version, served }: ServedVersion, judge: Judge): Promise<void> {
  const step: Step = { method: 'GET', path: `/openapi/v3/apis/${group}/${version}` }
  const hasAll = (body: JsonValue): boolean => {
    const paths = isObject(body) && isObject(body['paths']) ? Object.keys(body['paths']) : []
    return served.every(({ plural }) => paths.some((path) => path.endsWith(`/${plural}`)))
  }
  const [want, got] = (await readBoth(pair, step, hasAll)).map(withoutIntendedDifferences) as [Answer, Answer]
  for (const definition of served)
    judge(`openapi ${definition.name} ${version}`, step, findFirstDifference(pickPart(want, definition), pickPart(got, definition)))
  const withoutPaths = (answer: Answer): Answer => ({
    ...answer,
    body: isObject(answer.body) ? { ...answer.body, paths: listPaths(answer.body) } : answer.body,
  })
  judge(`openapi ${group}/${version}`, step, findFirstDifference(withoutPaths(want), withoutPaths(got)))
}

async function compareOldDocument(pair: Pair, definitions: readonly Definition[], judge: Judge): Promise<void> {
  const step: Step = { method: 'GET', path: '/openapi/v2' }
  const hasAll = (body: JsonValue): boolean => {
    const paths = isObject(body) && isObject(body['paths']) ? Object.keys(body['paths']) : []
    return definitions.every(({ plural, group }) => paths.some((path) => path.startsWith(`/apis/${group}/`) && path.endsWith(`/${plural}`)))
  }
  const [want, got] = (await readBoth(pair, step, hasAll)).map(withoutIntendedDifferences) as [Answer, Answer]
  for (const definition of definitions)
    judge(`openapi2 ${definition.name}`, step, findFirstDifference(pickPart(want, definition), pickPart(got, definition)))
}

/** Reads a document from both servers until it satisfies a condition, because discovery and OpenAPI lag behind the definitions. */
async function readBoth({ reference, candidate }: Pair, step: Step, isReady: (body: JsonValue) => boolean): Promise<[Answer, Answer]> {
  const read = async (server: Server): Promise<Answer> => {
    const deadline = Date.now() + 15_000
    for (;;) {
      const answer = await server.send(step)
      if ((answer.code === 200 && isReady(answer.body)) || Date.now() > deadline) return answer
      await wait(100)
    }
  }
  return Promise.all([read(reference), read(candidate)])
}

function includesResource(body: JsonValue, plural: string): boolean {
  const resources = isObject(body) && Array.isArray(body['resources']) ? body['resources'] : []
  return resources.some((resource) => isObject(resource) && resource['name'] === plural)
}

/** Sorts the resources of a group version, because kube-apiserver lists them in the random order of Go maps. */
function sortResources(answer: Answer): Answer {
  const { body } = answer
  if (!isObject(body) || !Array.isArray(body['resources'])) return answer
  const resources = body['resources'].filter(isObject).toSorted((a, b) => ((a['name'] ?? '') < (b['name'] ?? '') ? -1 : 1))
  return { ...answer, body: { ...body, resources } }
}

/** Returns the schemas of a definition's kind and the paths of its objects in an OpenAPI document. */
function pickPart(answer: Answer, { group, kind, plural }: Definition): Answer {
  const { body } = answer
  if (!isObject(body)) return answer
  const components = body['components']
  const schemas = isObject(components) ? components['schemas'] : body['definitions']
  const belongs = (schema: JsonValue): boolean => {
    const kinds = isObject(schema) ? schema['x-kubernetes-group-version-kind'] : undefined
    return (
      Array.isArray(kinds) &&
      kinds.some(
        (jsonValue) =>
          isObject(jsonValue) && jsonValue['group'] === group && (jsonValue['kind'] === kind || jsonValue['kind'] === `${kind}List`),
      )
    )
  }
  const paths = isObject(body['paths']) ? body['paths'] : {}
  const isOwn = (path: string): boolean => {
    const segments = path.replace('/namespaces/{namespace}', '').split('/')
    return segments[2] === group && segments[4] === plural
  }
  return {
    ...answer,
    body: {
      schemas: Object.fromEntries(Object.entries(isObject(schemas) ? schemas : {}).filter(([, schema]) => belongs(schema))),
      paths: Object.fromEntries(Object.entries(paths).filter(([path]) => isOwn(path))),
    },
  }
}

function listPaths(body: JsonObject): JsonValue {
  return isObject(body['paths']) ? Object.keys(body['paths']).toSorted() : null
}
