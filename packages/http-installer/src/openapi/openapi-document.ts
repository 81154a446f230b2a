import type { GroupVersion, StructSchema } from '@keelson/apimachinery'
import { openAPISchemas } from '@keelson/api/openapi'
import type { Descriptions } from '@keelson/api/openapi'
import type { RouteTable } from '../routing/route-table.ts'
import type { DocumentSource } from './openapi-registry.ts'
import { createCustomSource, hasCustomResources } from './custom-document.ts'
import { createPageItem, createVersionItem } from './discovery-items.ts'
import type { Page } from './discovery-items.ts'
import { describeParameters } from './describe-parameters.ts'
import { createPathItems, createReference } from './path-items.ts'
import type { Refer } from './path-items.ts'
import { bearerToken, withGroupVersions } from './swagger-document.ts'

/** Creates the OpenAPI document of a group version from its routes and schemas. */
export function createDocumentSource(gv: GroupVersion, table: RouteTable): DocumentSource {
  if (hasCustomResources(table)) return createCustomSource(gv, table)
  const prefix = gv.group === '' ? `/api/${gv.version}` : `/apis/${gv.group}/${gv.version}`
  const createPaths: DocumentSource['listPaths'] = function* (refer) {
    const kinds = new Map(Array.from(table.resources, ({ served }) => [formatName(served), served.gvk.kind]))
    const version = createVersionItem(gv, refer)
    yield { ...version, path: prefix + version.path }
    for (const routes of table.resources) {
      const { served } = routes
      const kind = kinds.get(served.resource) ?? served.gvk.kind
      for (const item of createPathItems(routes, kind, refer)) yield { ...item, path: prefix + item.path }
    }
  }
  return { groupVersion: gv, listPaths: createPaths, writeDocument: (descriptions) => openApiDocument(createPaths, [gv], descriptions) }
}

function formatName({ resource, subresource }: { readonly resource: string; readonly subresource: string }): string {
  return subresource === '' ? resource : `${resource}/${subresource}`
}

/** Creates the OpenAPI document of a page that belongs to no group. */
export function createPageSource(page: Page): DocumentSource {
  return createSource((refer) => [createPageItem(page, refer)])
}

/** Creates an OpenAPI document from path items. */
export function createSource(listPaths: DocumentSource['listPaths']): DocumentSource {
  return { listPaths, writeDocument: (descriptions) => openApiDocument(listPaths, [], descriptions) }
}

/**
 * Generates an OpenAPI document in pieces of text: one path or component at a time. Other work can run in between, and the complete
 * document is never in memory.
 */
function* openApiDocument(
  listPaths: DocumentSource['listPaths'],
  versions: readonly GroupVersion[],
  descriptions: Descriptions,
): Generator<string> {
  const roots = new Map<string, StructSchema>()
  const refer: Refer = (schema) => {
    roots.set(schema.definition, schema)
    return createReference(schema.definition)
  }
  yield '{"openapi":"3.0.0","info":{"title":"Kubernetes","version":"unversioned"},"paths":{'
  let separator = ''
  for (const pathItem of listPaths(refer)) {
    yield `${separator}${JSON.stringify(pathItem.path)}:${JSON.stringify(describeParameters(pathItem, descriptions))}`
    separator = ','
  }
  yield '},"components":{'
  separator = '"schemas":{'
  for (const [name, schema] of Object.entries(openAPISchemas(roots.values(), descriptions))) {
    yield `${separator}${JSON.stringify(name)}:${JSON.stringify(withGroupVersions(name, schema, versions))}`
    separator = ','
  }
  yield `${separator === ',' ? '},' : ''}"securitySchemes":{"BearerToken":${JSON.stringify(bearerToken)}}}}`
}
