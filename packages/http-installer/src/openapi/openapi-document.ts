import type { GroupVersion, StructSchema } from '@keelson/apimachinery'
import { openAPISchemas } from '@keelson/api/openapi'
import type { RouteTable } from '../route-table.ts'
import type { DocumentSource } from './openapi-registry.ts'
import { pathItems, patchDefinition, reference } from './path-items.ts'
import type { PathItem, Refer } from './path-items.ts'

/** Made of schema facts alone: it has no prose. */
export function documentSource(gv: GroupVersion, table: RouteTable): DocumentSource {
  const prefix = gv.group === '' ? `/api/${gv.version}` : `/apis/${gv.group}/${gv.version}`
  function* paths(refer: Refer): Generator<PathItem> {
    for (const routes of table.resources) {
      for (const { path, item } of pathItems(routes, refer)) yield { path: prefix + path, item }
    }
  }
  return { paths, document: () => openApiDocument(paths) }
}

/** One path or one component at a time, so that a reader can let others run in between and no document has to be held. */
function* openApiDocument(paths: DocumentSource['paths']): Generator<string> {
  const roots = new Map<string, StructSchema>()
  const refer: Refer = (schema) => {
    roots.set(schema.definition, schema)
    return reference(schema.definition)
  }
  yield '{"openapi":"3.0.0","info":{"title":"Kubernetes","version":"unversioned"},"paths":{'
  let separator = ''
  for (const { path, item } of paths(refer)) {
    yield `${separator}${JSON.stringify(path)}:${JSON.stringify(item)}`
    separator = ','
  }
  yield `},"components":{"schemas":{${JSON.stringify(patchDefinition)}:{"type":"object"}`
  for (const [name, schema] of Object.entries(openAPISchemas(roots.values()))) yield `,${JSON.stringify(name)}:${JSON.stringify(schema)}`
  yield '}}}'
}
