import { elementsOf, isEmptySet, isMember, leaf, NodeBuilder } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import type { MergeType } from './merge-type.ts'
import type { PathElement } from './path-element.ts'

/** Converts a set for a type that has become atomic: owners of a part own the whole. Returns the same set if nothing changes. */
export function foldAtomic(set: FieldSet, type: MergeType): FieldSet {
  let folded: Map<PathElement, FieldSet> | undefined
  for (const element in set) {
    const child = set[element]!
    const inner = isEmptySet(child) ? undefined : innerType(type, element)
    if (inner === undefined) continue
    const kept = isWhole(inner) ? leaf : foldAtomic(child, inner)
    if (kept !== child) (folded ??= new Map()).set(element, kept)
  }
  if (folded === undefined) return set
  const node = new NodeBuilder(isMember(set))
  for (const element of elementsOf(set)) node.add(element, folded.get(element) ?? set[element])
  return node.build()!
}

function isWhole(type: MergeType): boolean {
  return type.kind === 'list' ? type.relationship === 'atomic' : type.kind !== 'scalar' && type.atomic
}

function innerType(type: MergeType, element: PathElement): MergeType | undefined {
  if (type.kind === 'list') return type.items
  if (type.kind !== 'map') return undefined
  return type.byElement.get(element)?.type ?? type.values
}
