import type { GroupVersion, StructSchema } from '@keelson/apimachinery'
import type { Descriptions, GenerateDefinition, KindDocument } from '@keelson/api/openapi'
import { openAPISchemas } from '@keelson/api/openapi'
import { metaV1 } from '@keelson/api/meta/v1'
import type { RouteTable } from '../routing/route-table.ts'
import { createCustomItems } from './custom-items.ts'
import { describeParameters } from './describe-parameters.ts'
import { writeJsonPieces } from './json-pieces.ts'
import type { DocumentSource } from './openapi-registry.ts'
import { createReference } from './path-items.ts'
import type { PathItem, Refer } from './path-items.ts'
import { generateDefinition, withGroupVersions } from './swagger-document.ts'

/** Returns whether the resources of a table are custom resources, whose OpenAPI definitions come from `KindType.openApi`. */
export function hasCustomResources(table: RouteTable): boolean {
  for (const { served } of table.resources) return served.type?.openApi !== undefined
  return false
}

/** Version of the documents of custom resources. It must change with each change of this program that changes these documents. */
const generatorVersion = 2

/**
 * Creates the OpenAPI documents of a group version of custom resources. Its hash is that of the identities of its kinds, so it is known
 * before the documents are generated.
 */
export function createCustomSource(gv: GroupVersion, table: RouteTable): DocumentSource {
  const prefix = `/apis/${gv.group}/${gv.version}`
  const createPaths: DocumentSource['listPaths'] = function* (refer) {
    for (const root of ['ObjectMeta', 'ListMeta']) refer(metaV1.table.resolve(root))
    const kinds = new Map(Array.from(table.listed, ({ served }) => [`${served.resource}/${served.subresource}`, served.gvk.kind]))
    for (const routes of table.listed) {
      const kind = kinds.get(`${routes.served.resource}/`) ?? routes.served.gvk.kind
      for (const item of createCustomItems(routes, kind, refer)) yield { ...item, path: prefix + item.path }
    }
  }
  const listTableKinds = (): Iterable<KindDocument> => listKinds(table)
  return {
    listPaths: createPaths,
    listKinds: listTableKinds,
    getIdentity: ({ hash }) =>
      [`${generatorVersion}`, hash, prefix, ...Array.from(listTableKinds(), ({ identity }) => identity).sort()].join('\n'),
    writeDocument: (descriptions) => createCustomDocument(createPaths, listTableKinds(), descriptions),
  }
}

function* listKinds(table: RouteTable): Generator<KindDocument> {
  for (const { served } of table.listed) {
    if (served.subresource === '' && served.type?.openApi !== undefined) yield served.type.openApi
  }
}

/** Generates the OpenAPI v3 document of a group version of custom resources, in pieces of text. */
function* createCustomDocument(
  listPaths: DocumentSource['listPaths'],
  kinds: Iterable<KindDocument>,
  descriptions: Descriptions,
): Generator<string> {
  const roots = new Map<string, StructSchema>()
  const refer: Refer = (schema) => {
    roots.set(schema.definition, schema)
    return createReference(schema.definition)
  }
  const items: PathItem[] = []
  for (const item of listPaths(refer)) {
    items.push(item)
    yield ''
  }
  yield '{"openapi":"3.0.0","info":{"title":"Kubernetes CRD Swagger","version":"v0.1.0"},"paths":{'
  let separator = ''
  for (const pathItem of items.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    yield `${separator}${JSON.stringify(pathItem.path)}:${JSON.stringify(describeParameters(pathItem, descriptions))}`
    separator = ','
  }
  yield '},"components":{"schemas":{'
  separator = ''
  const shared = openAPISchemas(roots.values(), descriptions)
  const definitions = new Map<string, GenerateDefinition>()
  for (const kind of kinds) for (const [name, generate] of kind.definitions) definitions.set(name, generate)
  for (const name of [...new Set([...definitions.keys(), ...Object.keys(shared)])].sort()) {
    yield `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (Object.hasOwn(shared, name)) yield JSON.stringify(withGroupVersions(name, shared[name]!, []))
    else yield* writeJsonPieces(yield* generateDefinition(definitions.get(name)!, 3))
  }
  yield '}}}'
}
