import type { GroupVersionKind, JsonValue } from '@keelson/apimachinery'

/** The part of OpenAPI v3's schema object that describes API types. */
export interface OpenAPISchema {
  readonly $ref?: string
  readonly type?: 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string'
  readonly format?: string
  readonly default?: JsonValue
  readonly allOf?: readonly OpenAPISchema[]
  readonly oneOf?: readonly OpenAPISchema[]
  readonly items?: OpenAPISchema
  readonly additionalProperties?: OpenAPISchema
  readonly properties?: Readonly<Record<string, OpenAPISchema>>
  readonly required?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-preserve-unknown-fields'?: true
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[]
}

export const componentPrefix = '#/components/schemas/'
