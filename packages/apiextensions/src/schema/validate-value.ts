import type { FieldErrorList, FieldPath, JsonValue } from '@keelson/apimachinery'
import { accepts } from './accepts.ts'
import { CorrelatedValue } from './correlated-value.ts'
import { explain } from './explain.ts'
import type { SchemaNode } from './schema-node.ts'

export interface ValidationOptions {
  /** The old value of an update. Problems of unchanged parts are forgiven. */
  readonly old?: JsonValue | undefined
  /** Path of the value in errors. */
  readonly path?: FieldPath
}

/** Validates a value. Does the slow search for error messages only if the value is invalid. */
export function validateValue(node: SchemaNode, value: JsonValue, { old, path }: ValidationOptions = {}): FieldErrorList {
  if (accepts(node, value)) return []
  return explain(node, value, '', old === undefined ? undefined : new CorrelatedValue(node, value, old)).toErrors(path)
}
