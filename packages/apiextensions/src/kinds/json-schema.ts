import type { JsonValue } from '@keelson/apimachinery'

/** A JSON Schema as libraries generate it: draft 2020-12, draft 7 or OpenAPI 3.0, also with the extensions of custom resources. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The parts of Standard Schema that are read: Zod 4.2, ArkType, Valibot and others have them. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => JsonSchema }
    readonly validate: (value: unknown) => ValidationOutcome | Promise<ValidationOutcome>
  }
}

interface ValidationOutcome {
  readonly issues?: readonly SchemaIssue[] | undefined
}

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type AnySchema = StandardSchema | JsonSchema

export function isStandardSchema(schema: AnySchema): schema is StandardSchema {
  return typeof schema === 'object' && '~standard' in schema
}

type Simplify<T> = { [K in keyof T]: T[K] } & {}
type OptionalKeys<P, R extends PropertyKey> = Exclude<keyof P, R>

/** The type of the values of a JSON Schema that was written `as const`. Keywords without a type give `unknown`. */
export type FromJsonSchema<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly const: infer C }
    ? C
    : S extends { readonly 'x-kubernetes-int-or-string': true }
      ? number | string
      : S extends { readonly type: 'string' }
        ? string
        : S extends { readonly type: 'integer' | 'number' }
          ? number
          : S extends { readonly type: 'boolean' }
            ? boolean
            : S extends { readonly type: 'array'; readonly items: infer I }
              ? FromJsonSchema<I>[]
              : S extends { readonly type: 'object'; readonly properties: infer P; readonly required: readonly (infer R extends string)[] }
                ? Simplify<
                    { -readonly [K in keyof P & R]: FromJsonSchema<P[K]> } & { -readonly [K in OptionalKeys<P, R>]?: FromJsonSchema<P[K]> }
                  >
                : S extends { readonly type: 'object'; readonly properties: infer P }
                  ? { -readonly [K in keyof P]?: FromJsonSchema<P[K]> }
                  : S extends { readonly type: 'object'; readonly additionalProperties: infer V }
                    ? Record<string, FromJsonSchema<V>>
                    : unknown

/** The type of values as they are written: fields with a default may be absent. */
export type InputOf<S> = S extends StandardSchema<infer I, unknown> ? I : FromJsonSchema<S>
/** The type of values as they are read: defaults are set. */
export type OutputOf<S> = S extends StandardSchema<unknown, infer O> ? O : FromJsonSchema<S>

/** A structural schema of a definition. */
export interface StructuralSchema {
  type?: string
  description?: string
  nullable?: boolean
  default?: JsonValue
  format?: string
  required?: string[]
  properties?: Record<string, StructuralSchema>
  items?: StructuralSchema
  additionalProperties?: StructuralSchema
  enum?: JsonValue[]
  [keyword: string]: unknown
}
