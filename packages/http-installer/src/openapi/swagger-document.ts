import type { StructSchema } from '@keelson/apimachinery'
import { openAPISchemas } from '@keelson/api/openapi'
import type { DocumentSource } from './openapi-registry.ts'
import { reference } from './path-items.ts'
import type { Refer } from './path-items.ts'
import { withGroupVersions } from './shared-kinds.ts'
import { swaggerPathItem } from './swagger-path-item.ts'
import { swaggerSchema } from './swagger-schema.ts'

/** Members of the document besides paths and definitions. */
export const swaggerInfo = { title: 'Kubernetes', version: 'unversioned' }
export const bearerToken = { description: 'Bearer Token authentication', in: 'header', name: 'authorization', type: 'apiKey' }

/** One path or one definition of the document; all paths come before the definitions. */
export interface SwaggerPart {
  readonly section: 'paths' | 'definitions'
  readonly name: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Yields one part at a time, so that other work can run in between and no document is held as a whole. */
export function* swaggerParts(sources: readonly DocumentSource[]): Generator<SwaggerPart> {
  const roots = new Map<string, StructSchema>()
  const refer: Refer = (schema) => {
    roots.set(schema.definition, schema)
    return reference(schema.definition)
  }
  for (const source of sources) {
    for (const path of source.paths(refer)) yield { section: 'paths', name: path.path, value: swaggerPathItem(path) }
  }
  const versions = sources.flatMap(({ groupVersion }) => groupVersion ?? [])
  for (const [name, schema] of Object.entries(openAPISchemas(roots.values()))) {
    yield { section: 'definitions', name, value: swaggerSchema(withGroupVersions(name, schema, versions)) }
  }
}

/** The OpenAPI v2 document of the whole server, in pieces of text. */
export function* swaggerDocument(sources: readonly DocumentSource[]): Generator<string> {
  yield `{"swagger":"2.0","info":${JSON.stringify(swaggerInfo)},"paths":{`
  let open = 'paths'
  let separator = ''
  for (const { section, name, value } of swaggerParts(sources)) {
    if (section !== open) {
      yield '},"definitions":{'
      open = section
      separator = ''
    }
    yield `${separator}${JSON.stringify(name)}:${JSON.stringify(value)}`
    separator = ','
  }
  yield `},"securityDefinitions":{"BearerToken":${JSON.stringify(bearerToken)}},"security":[{"BearerToken":[]}]}`
}
