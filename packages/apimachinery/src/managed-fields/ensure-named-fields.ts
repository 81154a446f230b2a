import { elementsOf, isMember, leaf, NodeBuilder } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import type { MergeType } from './merge-type.ts'
import type { PathElement } from './path-element.ts'

/** Adds the structs around the members: `spec.replicas` adds `spec`. Keys of maps stay unchanged. */
export function ensureNamedFields(set: FieldSet, type: MergeType | undefined): FieldSet {
  return ensured(set, type, false) ?? leaf
}

function ensured(set: FieldSet, type: MergeType | undefined, member: boolean): FieldSet | undefined {
  const node = new NodeBuilder(member)
  for (const element of elementsOf(set)) {
    const child = set[element]!
    const field = type?.kind === 'map' ? type.byElement.get(element) : undefined
    node.add(element, ensured(child, field?.type ?? innerType(type, element), isMember(child) || field !== undefined))
  }
  return node.build()
}

function innerType(type: MergeType | undefined, element: PathElement): MergeType | undefined {
  if (type?.kind === 'any') return type
  if (!element.startsWith('f:')) return type?.kind === 'list' ? type.items : undefined
  return type?.kind === 'map' ? type.values : undefined
}
