import type { GroupVersion, StructSchema } from '@keelson/apimachinery'
import { openAPISchemas } from '@keelson/api/openapi'
import type { OpenAPISchema } from '@keelson/api/openapi'
import type { RouteTable } from '../route-table.ts'
import { pathItems, patchDefinition, reference } from './path-items.ts'

/**
 * The OpenAPI v3 document of one group version, in pieces of text: one path or one component each, so that a reader can let others run in
 * between and no document has to be held. Made of schema facts alone: it has no prose.
 */
export function* openApiDocument(gv: GroupVersion, table: RouteTable): Generator<string> {
  const roots = new Map<string, StructSchema>()
  const refer = (schema: StructSchema): OpenAPISchema => {
    roots.set(schema.definition, schema)
    return reference(schema.definition)
  }
  const prefix = gv.group === '' ? `/api/${gv.version}` : `/apis/${gv.group}/${gv.version}`
  yield '{"openapi":"3.0.0","info":{"title":"Kubernetes","version":"unversioned"},"paths":{'
  let separator = ''
  for (const routes of table.resources) {
    for (const { path, item } of pathItems(routes, refer)) {
      yield `${separator}${JSON.stringify(prefix + path)}:${JSON.stringify(item)}`
      separator = ','
    }
  }
  yield `},"components":{"schemas":{${JSON.stringify(patchDefinition)}:{"type":"object"}`
  for (const [name, schema] of Object.entries(openAPISchemas(roots.values()))) yield `,${JSON.stringify(name)}:${JSON.stringify(schema)}`
  yield '}}}'
}
