import type { OpenAPISchema } from '@keelson/api/openapi'

/** A schema as OpenAPI v2 has it. */
export interface SwaggerSchema {
  readonly [member: string]: unknown
}

/**
 * The schema in v2, which has no unions and where other keywords stand beside a reference. Without defaults: the original's document has none,
 * because clients of that age take them for something to send.
 */
export function swaggerSchema(schema: OpenAPISchema): SwaggerSchema {
  const { $ref, default: _, allOf, oneOf, items, additionalProperties, properties, ...others } = schema
  const target = $ref ?? allOf?.[0]?.$ref
  return {
    ...(target !== undefined && { $ref: `#/definitions/${target.slice(target.lastIndexOf('/') + 1)}` }),
    ...(items !== undefined && { items: swaggerSchema(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: swaggerSchema(additionalProperties) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, swaggerSchema(property)])),
    }),
    ...(oneOf !== undefined && { type: 'string' }),
    ...others,
  }
}
