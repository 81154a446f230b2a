import { isJsonObject } from '../json-value.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { newBadType, newListOfLists, newMissingMergeKey, PatchFailure, goType, goValue } from './patch-failure.ts'

/**
 * Maximum length of lists that are sorted exactly like in kube-apiserver. In a longer list, items that are not in the `$setElementOrder` list
 * come first.
 */
const exactSortLimit = 1000

/** Returns whether the items of the lists are objects. Throws if an item is a list, or if the items have different types. */
export function containObjects(...lists: readonly (readonly JsonValue[])[]): boolean {
  let first: string | undefined
  for (const list of lists) {
    for (const item of list) {
      const type = goType(item)
      if (first === undefined) {
        if (item === null) throw new PatchFailure('list contains a null')
        if (Array.isArray(item)) throw newListOfLists()
        first = type
      } else if (type !== first) {
        throw new PatchFailure(`list element types are not identical: ${goValue(lists as JsonValue[][])}`)
      }
    }
  }
  if (first === undefined) throw new PatchFailure('no elements in any of the given slices')
  return first.startsWith('map[')
}

/** Returns the identity of an item: the value of its merge key if it is an object, otherwise the item itself. */
export function getItemIdentity(item: JsonValue, mergeKey: string): JsonValue | undefined {
  if (mergeKey === '') return item
  return isJsonObject(item) && Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined
}

/** Maps the identity of each item to the item's first index. */
export function findFirstIndexes(list: readonly JsonValue[], mergeKey: string): Map<JsonValue | undefined, number> {
  const positions = new Map<JsonValue | undefined, number>()
  for (const [index, item] of list.entries()) {
    const id = getItemIdentity(item, mergeKey)
    if (!positions.has(id)) positions.set(id, index)
  }
  return positions
}

/** Splits a list into the items that are in the `$setElementOrder` list, and the other items. */
export function partition(
  items: readonly JsonValue[],
  by: readonly JsonValue[],
  mergeKey: string,
): { named: JsonValue[]; unnamed: JsonValue[] } {
  if (mergeKey !== '') requireObjects(by)
  const names = findFirstIndexes(by, mergeKey)
  const named: JsonValue[] = []
  const unnamed: JsonValue[] = []
  for (const item of items) {
    if (mergeKey !== '') requireMergeKey(item, mergeKey)
    if (names.has(getItemIdentity(item, mergeKey))) named.push(item)
    else unnamed.push(item)
  }
  return { named, unnamed }
}

function requireObjects(list: readonly JsonValue[]): void {
  for (const [index, item] of list.entries()) if (!isJsonObject(item)) throw new PatchFailure(`value for key ${index} is not a map`)
}

export function requireMergeKey(item: JsonValue, mergeKey: string): asserts item is JsonObject {
  if (!isJsonObject(item)) throw newBadType('map', item)
  if (!Object.hasOwn(item, mergeKey)) throw newMissingMergeKey(item, mergeKey)
}

export interface OrderInput {
  readonly patchItems: readonly JsonValue[]
  readonly serverItems: readonly JsonValue[]
  readonly patchOrder: readonly JsonValue[]
  readonly serverOrder: readonly JsonValue[]
  readonly mergeKey: string
}

/**
 * Orders a merged list. Items of the patch are in the patch's order, other items in the order of the live list. An item that is not in the patch
 * comes before the first patch item that follows it in the live list.
 */
export function mergeOrders(input: OrderInput): JsonValue[] {
  const { mergeKey } = input
  const patch = sortBy(input.patchItems, input.patchOrder, mergeKey)
  const server = sortBy(input.serverItems, input.serverOrder, mergeKey)
  const live = findFirstIndexes(input.serverOrder, mergeKey)
  const merged: JsonValue[] = []
  let i = 0
  let j = 0
  while (i < server.length && j < patch.length) {
    const remaining = live.get(getItemIdentity(server[i]!, mergeKey))
    const right = live.get(getItemIdentity(patch[j]!, mergeKey))
    merged.push(remaining !== undefined && right !== undefined && remaining < right ? server[i++]! : patch[j++]!)
  }
  return [...merged, ...server.slice(i), ...patch.slice(j)]
}

function sortBy(items: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): JsonValue[] {
  if (mergeKey !== '') for (const list of [items, order]) for (const item of list) requireMergeKey(item, mergeKey)
  const deleted = new Set(mergeKey === '' ? [] : items.filter((item) => isJsonObject(item) && item.$patch === 'delete'))
  const remaining = deleted.size === 0 ? items : items.filter((item) => !deleted.has(item))
  const indexes = findFirstIndexes(order, mergeKey)
  const placed = remaining.map((item) => ({ item, at: indexes.get(getItemIdentity(item, mergeKey)) ?? -1 }))
  if (placed.length > exactSortLimit || placed.every(({ at }) => at >= 0)) placed.sort((a, b) => a.at - b.at)
  else sortByInsertion(placed)
  return [...placed.map(({ item }) => item), ...deleted]
}

/**
 * Sorts a list with insertion sort, as upstream does. Upstream's comparison puts an item that is not in the `$setElementOrder` list before all
 * items, including itself. The result therefore depends on the algorithm.
 */
function sortByInsertion(list: { at: number }[]): void {
  const isBefore = (a: number, b: number): boolean => a < 0 || b < 0 || a < b
  for (let i = 1; i < list.length; i++) {
    for (let j = i; j > 0 && isBefore(list[j]!.at, list[j - 1]!.at); j--) [list[j], list[j - 1]] = [list[j - 1]!, list[j]!]
  }
}
