import type { Predicate, StoredObject } from './storage.ts'

/** Returns whether the predicate matches every object. */
export function isEmptyPredicate(predicate: Predicate | undefined): boolean {
  return predicate === undefined || (predicate.labels.empty && predicate.fields.empty)
}

/** Returns a function that tests stored objects against the predicate. Returns undefined if every object matches. */
export function createMatcher(predicate: Predicate | undefined): ((object: StoredObject) => boolean) | undefined {
  if (predicate === undefined || isEmptyPredicate(predicate)) return undefined
  const { labels, fields } = predicate
  const [requirement, ...otherRequirements] = fields.requirements
  if (labels.empty && requirement !== undefined && otherRequirements.length === 0) {
    // A fast path for the selector of most watches, which requires one field: the pods of a node, or one object by name.
    const { field, operator, value } = requirement
    return (object) => (object.field(field) === value) === (operator === '=')
  }
  return (object) => (labels.empty || labels.matches(object.labels ?? {})) && (fields.empty || fields.matches((name) => object.field(name)))
}
