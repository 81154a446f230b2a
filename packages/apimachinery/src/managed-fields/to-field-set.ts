import { isJsonObject } from '../json-value.ts'
import type { JsonValue } from '../meta.ts'
import { isEmptyMap, sortKeys } from './compare.ts'
import { leaf, NodeBuilder } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { indexItems, sortItems } from './list-element.ts'
import { resolveType } from './merge-type.ts'
import type { MergeList, MergeMap, MergeType } from './merge-type.ts'
import { createFieldElement, sortElements } from './path-element.ts'

/** Returns the fields that an applied configuration claims: its leaves, list items and map keys. The structs around these are not claimed. */
export function toFieldSet(type: MergeType, value: JsonValue): FieldSet {
  return claimFields(type, value, false) ?? leaf
}

function claimFields(type: MergeType, value: JsonValue, isMember: boolean): FieldSet | undefined {
  const resolved = resolveType(type, value)
  switch (resolved.kind) {
    case 'scalar':
      return leaf
    case 'list':
      if (resolved.relationship === 'atomic') return leaf
      return claimItems(resolved, Array.isArray(value) ? value : [], isMember)
    case 'map':
      return resolved.atomic ? leaf : claimMembers(resolved, value, isMember)
  }
}

function claimItems(type: MergeList, list: readonly JsonValue[], isMember: boolean): FieldSet | undefined {
  const node = new NodeBuilder(isMember)
  const sorted = sortItems(type, list)
  if (sorted !== undefined) {
    for (const { element, item } of sorted) node.add(element, claimFields(type.items, item, true))
    return node.build()
  }
  const { order, items } = indexItems(type, list)
  for (const element of sortElements(order)) {
    const item = items.get(element)!
    node.add(element, item.length > 1 ? leaf : claimFields(type.items, item[0]!, true))
  }
  return node.build()
}

function claimMembers(type: MergeMap, value: JsonValue, isMember: boolean): FieldSet | undefined {
  const node = new NodeBuilder(isMember)
  if (!isJsonObject(value)) return node.build()
  for (const name of sortKeys(value)) {
    const inner = value[name]
    if (inner === undefined) continue
    const field = type.byName.get(name)
    const innerType = field?.type ?? type.values
    if (innerType === undefined) continue
    const emptyMap = typeof inner === 'object' && !Array.isArray(inner) && isEmptyMap(inner)
    node.add(field?.element ?? createFieldElement(name), claimFields(innerType, inner, field === undefined || emptyMap))
  }
  return node.build()
}
