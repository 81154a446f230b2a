import { newBadRequest, newGenericServerResponse, newUnknownError } from '../api-errors.ts'
import { copyObject, equalsJson, isJsonObject } from '../json-value.ts'
import { setOwn } from '../set-own.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import type { StructSchema, TypeSchema } from '../type-schema.ts'
import {
  PatchFailure,
  newBadElementOrder,
  newBadPrimitiveList,
  newBadRetainKeys,
  newBadType,
  goType,
  goValue,
  withDepthLimit,
} from './patch-failure.ts'
import { mergeLists } from './strategic-list.ts'
import { getItemIdentity, containObjects, mergeOrders, partition } from './strategic-order.ts'
import { lookupList, lookupStruct } from './strategic-schema.ts'

const directive = '$patch'
const retainKeys = '$retainKeys'
const elementOrder = '$setElementOrder'
const deleteFromList = '$deleteFromPrimitiveList'

/**
 * Applies a strategic merge patch with all its directives. The schema determines which lists are merged, and by which key. Modifies neither
 * argument. The result shares no values with them. Throws kube-apiserver's `ApiError` if the patch cannot be applied.
 */
export function applyStrategicMergePatch<T extends JsonObject = JsonObject>(document: T, patch: JsonObject, schema: StructSchema): T {
  try {
    // Merging modifies both arguments, so it receives copies.
    return withDepthLimit(() => mergeObjects(copyObject(document), copyObject(patch), schema) as T)
  } catch (e) {
    if (!(e instanceof PatchFailure)) throw e
    if (e.status === 400) throw newBadRequest(e.message)
    if (e.status === 422) throw newGenericServerResponse(422, '', { group: '', resource: '' }, '', { serverMessage: e.message })
    throw newUnknownError(e.message)
  }
}

/**
 * Returns a strategic merge patch as it is after merging. Merging removes executed directives from the patch, and nulls from values that it
 * copies to the object. kube-apiserver prints this form in its errors. Throws if the patch cannot be applied.
 */
export function computePatchAfterMerge(document: JsonObject, patch: JsonObject, schema: StructSchema): JsonObject {
  const members = copyObject(patch)
  mergeObjects(copyObject(document), members, schema)
  return members
}

/** Merges a patch into an object and returns the object. Modifies both arguments, because kube-apiserver prints the modified patch in its errors. */
function mergeObjects(original: JsonObject, patch: JsonObject, schema: TypeSchema): JsonObject {
  if (Object.hasOwn(patch, directive)) return replaceOrDelete(patch)
  retainListedKeys(original, patch)
  mergeOrderedLists(original, patch, schema)
  for (const [name, value] of Object.entries(patch)) {
    const deletes = name.startsWith(deleteFromList)
    const key = deletes ? listName(name, deleteFromList) : name
    if (value === null) delete original[key]
    else if (!Object.hasOwn(original, key) || !hasSameGoType(original[key]!, value)) {
      if (!deletes) setNewMember(original, key, withoutNulls(value))
    } else if (isJsonObject(value)) setOwn(original, key, mergeMember(original[key] as JsonObject, value, schema, key))
    else if (Array.isArray(value)) setOwn(original, key, mergeListMember(original[key] as JsonValue[], value, schema, key, deletes))
    else setOwn(original, key, value)
  }
  return original
}

function mergeMember(original: JsonObject, patch: JsonObject, schema: TypeSchema, key: string): JsonObject {
  const meta = lookupStruct(schema, key)
  return meta.strategy === 'replace' ? patch : mergeObjects(original, patch, meta.schema)
}

function mergeListMember(original: JsonValue[], patch: JsonValue[], schema: TypeSchema, key: string, deletes: boolean): JsonValue[] {
  const meta = lookupList(schema, key)
  return meta.strategy === 'merge' || deletes ? mergeLists(original, patch, meta, deletes, mergeObjects) : patch
}

function hasSameGoType(a: JsonValue, b: JsonValue): boolean {
  return goType(a) === goType(b)
}

function replaceOrDelete(patch: JsonObject): JsonObject {
  const instruction = patch[directive]
  if (instruction === 'replace') {
    delete patch[directive]
    return patch
  }
  if (instruction === 'delete') return {}
  throw new PatchFailure(`unknown patch type: ${goValue(instruction!)} in map: ${goValue(patch)}`)
}

/** Executes `$retainKeys`: drops the members of the object that the directive does not list. Throws if the patch sets a member that is not listed. */
function retainListedKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, retainKeys)) return
  const list = patch[retainKeys]!
  delete patch[retainKeys]
  if (!Array.isArray(list)) throw newBadRetainKeys()
  const retained = new Set(list)
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(deleteFromList) || key.startsWith(elementOrder)) continue
    if (!retained.has(key)) throw newBadRetainKeys()
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key]
}

/** Executes `$setElementOrder/x`: merges the list x and sorts it in the given order. */
function mergeOrderedLists(original: JsonObject, patch: JsonObject, schema: TypeSchema): void {
  for (const name of Object.keys(patch)) {
    if (!name.startsWith(elementOrder)) continue
    const order = patch[name]!
    delete patch[name]
    if (!Array.isArray(order)) throw newBadType('list', order)
    const key = listName(name, elementOrder)
    const originalList = readList(original, key)
    const patchList = readList(patch, key)
    const { schema: items, strategy, mergeKey } = lookupList(schema, key)
    checkOrder(patchList ?? [], order, mergeKey)
    if (originalList === undefined && patchList === undefined) continue
    const live = originalList === undefined ? [] : [...originalList]
    let merged: JsonValue[]
    let serverOrder = live
    if (originalList === undefined) merged = withoutDirectives(patchList!) as JsonValue[]
    else if (patchList === undefined) merged = originalList
    else if (strategy !== 'merge') merged = patchList
    else {
      serverOrder = orderAfterMerge(live, patchList, mergeKey)
      merged = mergeLists(originalList, patchList, { schema: items, strategy, mergeKey }, false, mergeObjects)
    }
    const { named, unnamed } = partition(merged, order, mergeKey)
    containObjects(live, patchList ?? [])
    setOwn(original, key, mergeOrders({ patchItems: named, serverItems: unnamed, patchOrder: order, serverOrder, mergeKey }))
    delete patch[key]
  }
}

/**
 * Returns the live items in the order that the merged list must keep. As in kube-apiserver, items that the patch adds in place of deleted items
 * count as live items at the end.
 */
function orderAfterMerge(live: readonly JsonValue[], patchList: readonly JsonValue[], mergeKey: string): JsonValue[] {
  if (mergeKey === '') return [...live]
  const deletions = new Set(
    patchList.filter((item) => isJsonObject(item) && item[directive] === 'delete').map((item) => getItemIdentity(item, mergeKey)),
  )
  if (deletions.size === 0) return [...live]
  const remaining = live.filter((item) => !deletions.has(getItemIdentity(item, mergeKey)))
  const present = new Set(remaining.map((item) => getItemIdentity(item, mergeKey)))
  const added = patchList.filter(
    (item) => isJsonObject(item) && !Object.hasOwn(item, directive) && !present.has(getItemIdentity(item, mergeKey)),
  )
  return [...remaining, ...added.slice(0, live.length - remaining.length)]
}

function readList(object: JsonObject, key: string): JsonValue[] | undefined {
  if (!Object.hasOwn(object, key)) return undefined
  const list = object[key]!
  if (!Array.isArray(list)) throw newBadType('list', list)
  return list
}

function listName(key: string, prefix: typeof elementOrder | typeof deleteFromList): string {
  const slash = key.indexOf('/')
  if (slash < 0 || key.slice(0, slash) !== prefix) throw prefix === elementOrder ? newBadElementOrder() : newBadPrimitiveList()
  return key.slice(slash + 1)
}

/** Throws if the patch contains items that the `$setElementOrder` list does not, or in a different order. Ignores items that the patch deletes. */
function checkOrder(patchList: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): void {
  if (order.length === 0 || patchList.length === 0) return
  const items = mergeKey === '' ? patchList : patchList.filter((item) => !isDeletion(item))
  let at = 0
  let matched = 0
  while (matched < items.length && at < order.length) {
    const item = items[matched]!
    if (isJsonObject(item) && Object.hasOwn(item, directive)) matched++
    else if (isSame(item, order[at++]!, mergeKey)) matched++
  }
  if (matched < items.length) {
    throw new PatchFailure(
      `The order in patch list:\n${goValue([...patchList])}\n doesn't match ${elementOrder} list:\n${goValue([...order])}\n`,
    )
  }
}

function isDeletion(item: JsonValue): boolean {
  if (!isJsonObject(item)) throw newBadType('map', item)
  return item[directive] === 'delete'
}

function isSame(item: JsonValue, ordered: JsonValue, mergeKey: string): boolean {
  if (mergeKey === '') return equalsJson(item, ordered)
  for (const jsonValue of [item, ordered]) if (!isJsonObject(jsonValue)) throw newBadType('map', jsonValue)
  return equalsJson(requireIdentity(item as JsonObject, mergeKey), requireIdentity(ordered as JsonObject, mergeKey))
}

function requireIdentity(item: JsonObject, mergeKey: string): JsonValue {
  const id = getItemIdentity(item, mergeKey)
  if (id === undefined) throw new PatchFailure(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`)
  return id
}

/** Sets a member that the object does not have yet. Ignores directives of the patch. */
function setNewMember(object: JsonObject, key: string, value: JsonValue): void {
  const cleaned = withoutDirectives(value)
  if (cleaned === undefined) delete object[key]
  else setOwn(object, key, cleaned)
}

function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined)
  if (!isJsonObject(value)) return value
  if (Object.hasOwn(value, directive)) return undefined
  for (const key of Object.keys(value)) setNewMember(value, key, value[key]!)
  return value
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) for (const item of value) withoutNulls(item)
  else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === null) delete value[key]
      else withoutNulls(value[key]!)
    }
  }
  return value
}
