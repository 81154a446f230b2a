import { elementsOf, fieldsAt, isMember, leaf, NodeBuilder, recursiveDifference } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { fieldElement } from './path-element.ts'

/** Takes out of a set what a write cannot change, whoever sends it. */
export type FieldFilter = (set: FieldSet) => FieldSet

/** For a write that leaves these fields, and all below them, as they were: `withoutFields('status', 'metadata.labels')`. */
export function withoutFields(...paths: readonly string[]): FieldFilter {
  const reset = fieldsAt(...paths)
  return (set) => recursiveDifference(set, reset)
}

/** For a write that changes these fields and no others; `*` is any element: `onlyFields('spec.containers.*.resources')`. */
export function onlyFields(...paths: readonly string[]): FieldFilter {
  const patterns = paths.map((path) => path.split('.').map((name) => (name === '*' ? name : fieldElement(name))))
  return (set) => matching(set, patterns, false) ?? leaf
}

function matching(set: FieldSet, patterns: readonly (readonly string[])[], member: boolean): FieldSet | undefined {
  const node = new NodeBuilder(member)
  for (const element of elementsOf(set)) {
    const rests = patterns.filter(([first]) => first === '*' || first === element).map((pattern) => pattern.slice(1))
    if (rests.length === 0) continue
    const child = set[element]!
    // Along the way to what is let through, a node itself counts too.
    node.add(element, rests.some((rest) => rest.length === 0) ? child : matching(child, rests, isMember(child)))
  }
  return node.build()
}
