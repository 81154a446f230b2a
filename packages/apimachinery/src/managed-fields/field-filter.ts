import { fieldsAt, recursiveDifference } from './field-set.ts'
import type { FieldSet } from './field-set.ts'

/** Removes from a set the fields that a path resets. */
export type FieldFilter = (set: FieldSet) => FieldSet

/** For a path that leaves these fields and everything below them unchanged: `withoutFields('status', 'metadata.labels')`. */
export function withoutFields(...paths: readonly string[]): FieldFilter {
  const reset = fieldsAt(...paths)
  return (set) => recursiveDifference(set, reset)
}
