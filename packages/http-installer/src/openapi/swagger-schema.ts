import type { OpenAPISchema } from '@keelson/api/openapi'

/** A schema as OpenAPI v2 has it. */
export interface SwaggerSchema {
  readonly [member: string]: unknown
}

/**
 * The schema in v2, which has no unions and allows other keywords next to a reference. Without defaults, like kube-apiserver's document, because old
 * clients would send them.
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
