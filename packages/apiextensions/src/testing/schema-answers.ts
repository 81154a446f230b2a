import { formatFieldError, parseJson, finishTask } from '@keelson/apimachinery'
import type { FieldError, JsonObject } from '@keelson/apimachinery'
import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { compileSchema } from '../schema/compile-schema.ts'
import type { CompiledSchema } from '../schema/compile-schema.ts'
import { validateDefaults } from '../schema/validate-defaults.ts'

/** A schema and an object to apply it to. With `old`, also an update. */
export interface SchemaQuestion {
  readonly schema: JSONSchemaProps
  readonly object: JsonObject
  readonly old?: JsonObject
}

/** Result of a schema, as text. It is compared with that of kube-apiserver's library. Lists of errors are sorted. */
export interface SchemaAnswer {
  /** Set instead of all other members if the schema is not structural. */
  readonly problem?: string
  /** Errors of the schema's defaults. */
  readonly defaults?: readonly string[]
  /** Paths of pruned fields. */
  readonly unknown?: readonly string[]
  /** Set instead of all other members if embedded metadata has the wrong type. */
  readonly coercion?: string
  /** The object after pruning and with defaults. */
  readonly object?: JsonObject
  readonly errors?: readonly string[]
  /** Errors of the update; null without an old object. */
  readonly update?: readonly string[] | null
  readonly listTypes?: readonly string[]
  readonly embedded?: readonly string[]
}

/** Applies a schema to an object. `text` is a `SchemaQuestion` as JSON. */
export function applySchema(text: string): SchemaAnswer {
  const { schema, object, old } = parseJson(text).value as unknown as SchemaQuestion
  const compiled = compileSchema(schema)
  const { unknown, coercion } = decode(compiled, object)
  if (coercion !== undefined) return { coercion: formatError(coercion) }
  if (old !== undefined) decode(compiled, old)
  return {
    defaults: formatErrors(finishTask(validateDefaults(schema, undefined, { requiresPruned: true }))),
    unknown,
    object,
    errors: formatErrors(compiled.validate(object)),
    update: old === undefined ? null : formatErrors(compiled.validate(object, old)),
    listTypes: formatErrors(compiled.validateListTypes(object)),
    embedded: formatErrors(compiled.validateEmbedded(object)),
  }
}

function decode(schema: CompiledSchema, object: JsonObject): { unknown: readonly string[]; coercion: FieldError | undefined } {
  const pruned = schema.prune(object)
  const { error, unknown } = schema.coerceEmbedded(object)
  schema.setDefaults(object)
  return { unknown: error === undefined ? [...pruned, ...unknown] : pruned, coercion: error }
}

function formatErrors(errors: readonly FieldError[]): readonly string[] {
  return errors.map(formatError).sort()
}

function formatError(error: FieldError): string {
  return `${error.type} ${formatFieldError(error)}`
}
