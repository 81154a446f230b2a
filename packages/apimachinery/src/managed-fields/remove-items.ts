import type { JsonObject, JsonValue } from '../meta.ts'
import { setOwn } from '../json-reader.ts'
import { isMember } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { isEmptyMap } from './compare.ts'
import { listElement } from './list-element.ts'
import { resolveType } from './merge-type.ts'
import type { MergeList, MergeMap, MergeType } from './merge-type.ts'
import { fieldElement } from './path-element.ts'

/** Returns `value` without the members and items of the set. Emptied containers become null. The input is not modified. */
export function removeItems(type: MergeType, value: JsonValue, set: FieldSet): JsonValue {
  const resolved = resolveType(type, value)
  switch (resolved.kind) {
    case 'scalar':
      return value
    case 'list':
      return Array.isArray(value) && resolved.relationship !== 'atomic' ? removeFromList(resolved, value, set) : null
    case 'map':
      return isEmptyMap(value) || resolved.atomic ? null : removeFromMap(resolved, value as JsonObject, set)
  }
}

function removeFromList(type: MergeList, list: readonly JsonValue[], set: FieldSet): JsonValue {
  const kept: JsonValue[] = []
  for (const item of list) {
    const node = set[listElement(type, item)]
    if (node === undefined) kept.push(item)
    else if (!isMember(node)) kept.push(removeItems(type.items, item, node))
  }
  return kept.length > 0 ? kept : null
}

function removeFromMap(type: MergeMap, map: JsonObject, set: FieldSet): JsonValue {
  const kept: JsonObject = {}
  for (const name of Object.keys(map)) {
    const node = set[fieldElement(name)]
    const inner = type.byName.get(name)?.type ?? type.values
    if (node === undefined || inner === undefined) setOwn(kept, name, map[name]!)
    else if (!isMember(node)) setOwn(kept, name, removeItems(inner, map[name]!, node))
  }
  return isEmptyMap(kept) ? null : kept
}
