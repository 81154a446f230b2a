import type { OpenAPISchema } from '@keelson/api/openapi'
import type { PathItem } from './path-items.ts'
import { swaggerSchema } from './swagger-schema.ts'

type Members = Readonly<Record<string, unknown>>
interface Content {
  readonly [mediaType: string]: { readonly schema: OpenAPISchema }
}

/** A path's operations in OpenAPI v2, where bodies are parameters and media types are members of the operation. */
export function swaggerPathItem({ item, consumes }: PathItem): Members {
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(item)) {
    members[name] = name === 'parameters' ? (value as Members[]).map(parameter) : operation(value as Members, consumes)
  }
  return members
}

function operation({ requestBody, parameters = [], responses, ...others }: Members, consumes: readonly string[] = ['*/*']): Members {
  const body = requestBody as { readonly content: Content; readonly required?: boolean } | undefined
  const answers = Object.entries(responses as Record<string, { readonly description: string; readonly content?: Content }>)
  const produces = answers.find(([, { content }]) => content !== undefined)?.[1].content
  const all = [...(body === undefined ? [] : [bodyParameter(body)]), ...(parameters as Members[]).map(parameter)]
  return {
    ...(consumes.length > 0 && { consumes: body === undefined ? consumes : Object.keys(body.content) }),
    produces: Object.keys(produces ?? { '*/*': undefined }),
    schemes: ['https'],
    ...(all.length > 0 && { parameters: all }),
    responses: Object.fromEntries(
      answers.map(([code, { description, content }]) => [
        code,
        { description, ...(content !== undefined && { schema: swaggerSchema(schemaOf(content)) }) },
      ]),
    ),
    ...others,
  }
}

function bodyParameter({ content, required }: { readonly content: Content; readonly required?: boolean }): Members {
  return { name: 'body', in: 'body', ...(required && { required }), schema: swaggerSchema(schemaOf(content)) }
}

function parameter({ schema, ...others }: Members): Members {
  return { ...others, ...(schema as Members) }
}

/** The schema, which is the same for every media type. */
function schemaOf(content: Content): OpenAPISchema {
  return Object.values(content)[0]!.schema
}
