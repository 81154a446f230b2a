import type { GroupVersion, StructSchema } from '@keelson/apimachinery'
import type { RouteTable } from '../route-table.ts'
import { pathItems } from './path-items.ts'
import { reference, scalarComponents, structComponent } from './schema-component.ts'
import type { Component } from './schema-component.ts'

/**
 * The OpenAPI v3 document of one group version, in pieces of text: one path or one component each, so that a reader can let others run in
 * between and no document has to be held. Made of schema facts alone: it has no prose.
 */
export function* openApiDocument(gv: GroupVersion, table: RouteTable): Generator<string> {
  const pending = new Map<string, StructSchema>()
  const refer = (schema: StructSchema): Component => {
    pending.set(schema.definition, schema)
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
  yield '},"components":{"schemas":{'
  separator = ''
  for (const [name, component] of Object.entries(scalarComponents)) {
    yield `${separator}${JSON.stringify(name)}:${JSON.stringify(component)}`
    separator = ','
  }
  // A map takes additions while it is walked: what a component refers to comes after it.
  for (const [name, schema] of pending) {
    if (name in scalarComponents) continue
    yield `,${JSON.stringify(name)}:${JSON.stringify(structComponent(schema, refer))}`
  }
  yield '}}}'
}
