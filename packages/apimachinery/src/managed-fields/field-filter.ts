import { fieldsAt, recursiveDifference } from './field-set.ts'
import type { FieldSet } from './field-set.ts'

/** Takes out of a set what a write cannot change, whoever sends it. */
export type FieldFilter = (set: FieldSet) => FieldSet

/** For a write that leaves these fields, and all below them, as they were: `withoutFields('status', 'metadata.labels')`. */
export function withoutFields(...paths: readonly string[]): FieldFilter {
  const reset = fieldsAt(...paths)
  return (set) => recursiveDifference(set, reset)
}
