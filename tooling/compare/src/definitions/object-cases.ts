import type { JsonObject } from '@keelson/apimachinery'
import { namespace } from '../cases/case.ts'
import type { Case, Step } from '../cases/case.ts'
import { Random } from '../cases/random.ts'
import { breakObject } from './break-object.ts'
import { formatCollectionPath } from './definition.ts'
import type { Definition } from './definition.ts'
import { ValueGenerator } from './generate-value.ts'
import { isObject } from '../cases/locations.ts'

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

/**
 * Returns the requests for one object of a definition: create, read as a table, update, patch, apply, update of the status, read and patch in
 * another version, delete. Some writes are also sent as dry runs. Objects with an odd index violate the schema.
 */
export function generateObjectCase(definition: Definition, seed: number, index: number): Case {
  const random = new Random(seed + index)
  const { name: version, schema, hasStatus } = definition.versions[index % definition.versions.length]!
  const other = random.pick(definition.versions)
  const createObject = (): JsonObject => {
    const generated = new ValueGenerator(random).value({ ...schema, type: 'object' }, '')
    return isObject(generated) ? generated : {}
  }
  const first = index % 2 === 0 ? createObject() : breakObject(random, createObject(), schema)
  const second = random.chance(0.5) ? breakObject(random, first, schema) : { ...first, ...pickMembers(random, createObject()) }
  const collection = formatCollectionPath(definition, version, namespace)
  const name = `${namespace}-${index}`
  const objectPath = `${collection}/${name}`
  const otherPath = `${formatCollectionPath(definition, other.name, namespace)}/${name}`
  const identity = { apiVersion: `${definition.group}/${version}`, kind: definition.kind }
  const strictness = random.pick(['', '?fieldValidation=Strict', '?fieldValidation=Warn', '?fieldValidation=Ignore'])
  const metadata = { name, ...(random.chance(0.3) && { labels: { a: 'b' }, annotations: { c: 'd' } }) }
  const mergePatch = { 'content-type': 'application/merge-patch+json' }
  const applyPatch = { 'content-type': 'application/apply-patch+yaml' }
  const createApplied = (): JsonObject => ({ ...createObject(), ...identity, metadata: { name } })
  const steps: Step[] = [
    { method: 'POST', path: `${collection}?dryRun=All`, body: { ...first, ...identity, metadata } },
    { method: 'POST', path: collection + strictness, body: { ...first, ...identity, metadata }, save: { rv: 'metadata.resourceVersion' } },
    { method: 'GET', path: objectPath, headers: { accept: table } },
    { method: 'PUT', path: objectPath + strictness, body: { ...second, ...identity, metadata: { ...metadata, resourceVersion: '${rv}' } } },
    { method: 'PATCH', path: objectPath, headers: mergePatch, body: pickMembers(random, breakObject(random, createObject(), schema)) },
    { method: 'PATCH', path: `${objectPath}?fieldManager=applier&force=true`, headers: applyPatch, body: createApplied() },
    ...(hasStatus ? [{ method: 'PATCH', path: `${objectPath}/status`, headers: mergePatch, body: createObject() }] : []),
    { method: 'GET', path: otherPath },
    {
      method: 'PATCH',
      path: `${otherPath}${random.pick(['', '?dryRun=All'])}`,
      headers: mergePatch,
      body: random.chance(0.3) ? {} : pickMembers(random, createObject()),
    },
    {
      method: 'PATCH',
      path: `${objectPath}?fieldManager=other${random.pick(['', '&dryRun=All'])}`,
      headers: applyPatch,
      body: createApplied(),
    },
    {
      method: 'PATCH',
      path: objectPath,
      headers: { 'content-type': 'application/json-patch+json' },
      body: Object.entries(pickMembers(random, createObject())).map(([field, value]) => ({ op: 'add', path: `/${field}`, value })),
    },
    { method: 'GET', path: objectPath },
    { method: 'DELETE', path: objectPath },
  ]
  return { id: `${definition.name}/${index}`, scenario: 'objects', kind: definition.kind, seed: seed + index, steps }
}

/** Returns one or two members of an object other than its identity. */
function pickMembers(random: Random, object: JsonObject): JsonObject {
  const names = Object.keys(object).filter((name) => !['apiVersion', 'kind', 'metadata'].includes(name))
  if (names.length === 0) return {}
  return Object.fromEntries([random.pick(names), random.pick(names)].map((name) => [name, object[name]!]))
}
