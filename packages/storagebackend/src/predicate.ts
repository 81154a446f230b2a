import type { Predicate, StoredObject } from './storage.ts'

/** Returns whether the predicate matches every object. */
export function isEmptyPredicate(predicate: Predicate | undefined): boolean {
  return predicate === undefined || (predicate.labels.empty && predicate.fields.empty)
}

/** Returns a function that tests stored objects, or undefined if every object matches. */
export function matcher(predicate: Predicate | undefined): ((object: StoredObject) => boolean) | undefined {
  if (predicate === undefined || isEmptyPredicate(predicate)) return undefined
  const { labels, fields } = predicate
  const [only, ...others] = fields.requirements
  if (labels.empty && only !== undefined && others.length === 0) {
    // Most watches have this kind of selector: the pods of a node, or one object.
    const { field, operator, value } = only
    return (object) => (object.field(field) === value) === (operator === '=')
  }
  return (object) => (labels.empty || labels.matches(object.labels ?? {})) && (fields.empty || fields.matches((name) => object.field(name)))
}
