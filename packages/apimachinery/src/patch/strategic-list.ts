import type { JsonObject, JsonValue } from '../meta.ts'
import type { TypeSchema } from '../type-schema.ts'
import { goValue, newMissingMergeKey, PatchFailure } from './patch-failure.ts'
import { containObjects, mergeOrders, partition, requireMergeKey } from './strategic-order.ts'
import { goKind } from './strategic-schema.ts'
import type { PatchMeta } from './strategic-schema.ts'

export type MergeObjects = (original: JsonObject, patch: JsonObject, schema: TypeSchema) => JsonObject

/** Merges a list of a strategic merge patch into a list of the object. Merges scalars as sets and objects by merge key. Modifies its arguments. */
export function mergeLists(
  original: JsonValue[],
  patch: JsonValue[],
  meta: PatchMeta,
  deletes: boolean,
  mergeObjects: MergeObjects,
): JsonValue[] {
  if (original.length === 0 && patch.length === 0) return original
  const { mergeKey } = meta
  let live = original
  let changes = patch
  let merged: JsonValue[]
  if (!containObjects(original, patch)) {
    if (deletes) return withoutItems(original, new Set(patch))
    merged = [...new Set([...original, ...patch])]
  } else {
    if (mergeKey === '') throw new PatchFailure(`cannot merge lists without merge key for ${goKind(meta.schema)}`)
    ;({ live, changes } = applyItemDirectives(original as JsonObject[], patch as JsonObject[], mergeKey))
    merged = mergeItems(live as JsonObject[], changes as JsonObject[], meta, mergeObjects)
  }
  const { named, unnamed } = partition(merged, changes, mergeKey)
  return mergeOrders({ patchItems: named, serverItems: unnamed, patchOrder: changes, serverOrder: live, mergeKey })
}

function withoutItems(list: readonly JsonValue[], items: ReadonlySet<JsonValue>): JsonValue[] {
  return list.filter((item) => !items.has(item))
}

/**
 * Executes the directives of list items. `$patch: delete` deletes the items with the same merge key. `$patch: replace` replaces the whole list by
 * the other items of the patch.
 */
function applyItemDirectives(original: JsonObject[], patch: JsonObject[], mergeKey: string): { live: JsonObject[]; changes: JsonObject[] } {
  const changes: JsonObject[] = []
  const deleted = new Set<JsonValue>()
  let replaces = false
  for (const item of patch) {
    if (!Object.hasOwn(item, '$patch')) changes.push(item)
    else if (item.$patch === 'delete') {
      if (!Object.hasOwn(item, mergeKey)) throw newMissingMergeKey(item, mergeKey)
      deleted.add(item[mergeKey]!)
    } else if (item.$patch === 'replace') replaces = true
    else if (item.$patch === 'merge') throw new PatchFailure('merging lists cannot yet be specified in the patch')
    else throw new PatchFailure(`unknown patch type: ${goValue(item.$patch!)} in map: ${goValue(item)}`)
  }
  if (replaces) return { live: changes, changes: [] }
  return {
    live: deleted.size === 0 ? original : original.filter((item) => !(Object.hasOwn(item, mergeKey) && deleted.has(item[mergeKey]!))),
    changes,
  }
}

function mergeItems(
  live: readonly JsonObject[],
  changes: readonly JsonObject[],
  meta: PatchMeta,
  mergeObjects: MergeObjects,
): JsonObject[] {
  const { mergeKey, schema } = meta
  const merged = [...live]
  const indexes = new Map<JsonValue, number>()
  const addIndex = (item: JsonObject, index: number): void => {
    if (Object.hasOwn(item, mergeKey) && !indexes.has(item[mergeKey]!)) indexes.set(item[mergeKey]!, index)
  }
  for (const [index, item] of merged.entries()) addIndex(item, index)
  for (const change of changes) {
    requireMergeKey(change, mergeKey)
    const at = indexes.get(change[mergeKey]!)
    if (at === undefined) addIndex(change, merged.push(change) - 1)
    else merged[at] = mergeObjects(merged[at]!, change, schema)
  }
  return merged
}
