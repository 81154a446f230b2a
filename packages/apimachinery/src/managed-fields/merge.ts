import { isJsonObject, mapList } from '../json-value.ts'
import { setOwn } from '../set-own.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { equalsValue } from './path-element.ts'
import { isEmptyMap } from './compare.ts'
import { indexItems, listElement } from './list-element.ts'
import { resolveType } from './merge-type.ts'
import type { MergeList, MergeMap, MergeType } from './merge-type.ts'
import type { PathElement } from './path-element.ts'

/**
 * Merges an applied configuration into an object. Values of the configuration take precedence, and no value is removed. List items that are only
 * in the object keep their order. Does not modify its arguments. The result shares unchanged values with the object, so comparing the two is
 * fast.
 */
export function mergeValues(type: MergeType, live: JsonValue, config: JsonValue): JsonValue {
  const before = resolveType(type, live)
  // A null has the type of the other value.
  const resolved = config === null ? before : resolveType(type, config)
  if (live !== null && before.kind !== resolved.kind) return config
  switch (resolved.kind) {
    case 'scalar':
      return config
    case 'list':
      return resolved.relationship === 'atomic' || (isEmpty(live) && isEmpty(config))
        ? keepLiveIfEqual(live, config)
        : mergeLists(resolved, toList(live), toList(config))
    case 'map':
      return resolved.atomic || (isEmptyMap(live) && isEmptyMap(config))
        ? keepLiveIfEqual(live, config)
        : mergeMaps(resolved, toMap(live), toMap(config))
  }
}

function keepLiveIfEqual(live: JsonValue, config: JsonValue): JsonValue {
  return equalsValue(live, config) ? live : config
}

function isEmpty(value: JsonValue): boolean {
  return !Array.isArray(value) || value.length === 0
}

function toList(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function toMap(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {}
}

function mergeMaps(type: MergeMap, live: JsonObject, config: JsonObject): JsonValue {
  let merged: JsonObject | undefined
  for (const name of Object.keys(config)) {
    const inner = type.byName.get(name)?.type ?? type.values
    const has = Object.hasOwn(live, name) && live[name] !== undefined
    const value = has && inner !== undefined ? mergeValues(inner, live[name]!, config[name]!) : config[name]!
    if (has && value === live[name]) continue
    merged ??= { ...live }
    setOwn(merged, name, value)
  }
  return merged ?? live
}

/**
 * Merges two lists. Keeps the order of both if possible. An item that is only in the object stays before the next item that both lists have. An
 * item that is only in the configuration stays after the previous item that both lists have.
 */
function mergeLists(type: MergeList, live: readonly JsonValue[], config: readonly JsonValue[]): JsonValue {
  const liveElements = live.map((item) => listElement(type, item))
  const configElements = config.map((item) => listElement(type, item))
  if (hasSameOrder(liveElements, configElements)) {
    const items = mapList(config, (item, i) => mergeValues(type.items, live[i]!, item))
    return keepLiveIfSame(live, items)
  }
  const liveItems = indexItems(type, live).items
  const configItems = new Map(configElements.map((element, i) => [element, config[i]!]))
  const shared = configElements.filter((element) => liveItems.has(element))
  let nextShared = 0
  const merged: JsonValue[] = []
  const mergedElements = new Set<PathElement>()
  const take = (element: PathElement): void => {
    mergedElements.add(element)
    const liveItem = liveItems.get(element)
    const item = configItems.get(element)!
    // An item with duplicates in the object is not merged. The configuration's item replaces all of them.
    merged.push(liveItem?.length === 1 ? mergeValues(type.items, liveItem[0]!, item) : item)
    if (shared[nextShared] === element) nextShared++
  }
  let l = 0
  let c = 0
  while (l < live.length || c < config.length) {
    const element = liveElements[l]
    if (element !== undefined && c < config.length) {
      if (element === configElements[c]) {
        take(element)
        l++
        c++
        continue
      }
      // Skips an item that is in both lists but out of order. It is added at its position in the configuration.
      if (configItems.has(element) && nextShared < shared.length && shared[nextShared] !== element) {
        l++
        continue
      }
    }
    if (element !== undefined) {
      if (!configItems.has(element)) {
        merged.push(live[l++]!)
        continue
      }
      if (mergedElements.has(element)) l++
    }
    if (c < config.length) take(configElements[c++]!)
  }
  return keepLiveIfSame(live, merged)
}

/** Returns whether both lists have the same items in the same order, without duplicates. */
function hasSameOrder(live: readonly PathElement[], config: readonly PathElement[]): boolean {
  if (live.length !== config.length) return false
  for (let i = 0; i < live.length; i++) if (live[i] !== config[i]) return false
  return live.length === 1 || new Set(live).size === live.length
}

function keepLiveIfSame(live: readonly JsonValue[], merged: JsonValue[]): JsonValue {
  return merged.length === live.length && merged.every((item, i) => item === live[i]) ? (live as JsonValue[]) : merged
}
