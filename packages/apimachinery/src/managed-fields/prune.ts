import { setOwn } from '../set-own.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { isEmptyMap } from './compare.ts'
import {
  NodeBuilder,
  containsSet,
  subtractSet,
  listElements,
  intersectSets,
  isEmptySet,
  isMember,
  leaf,
  union,
  uniteSets,
} from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { listElement } from './list-element.ts'
import type { Managed, VersionedSet } from './managed.ts'
import { resolveType } from './merge-type.ts'
import type { ConvertTyped, MergeList, MergeMap, MergeType, ResolvedType, Steps, TypedObject } from './merge-type.ts'
import { createFieldElement } from './path-element.ts'
import type { PathElement } from './path-element.ts'
import { toFieldSet } from './to-field-set.ts'

interface PruneOptions {
  readonly last: VersionedSet | undefined
  readonly now: VersionedSet
  readonly convert: ConvertTyped
  readonly conversionMayFail: boolean
}

/**
 * Removes the fields that the manager applied last time (`last`) but not this time (`now`). Keeps fields that other managers own. `managed`
 * already contains the new set.
 */
export function* prune(merged: TypedObject, managed: Managed, { last, now, convert, conversionMayFail }: PruneOptions): Steps<TypedObject> {
  if (last === undefined || isEmptySet(last.set)) return merged
  // An applied configuration usually contains all fields of the previous one, so there is nothing to remove.
  const isContained = last.apiVersion === now.apiVersion && containsSet(now.set, last.set)
  // Otherwise, the object is converted for its errors alone, which kube-apiserver reports.
  if (isContained && !(conversionMayFail && hasOtherVersion(managed, now.apiVersion))) return merged
  const before = yield* convert(merged, last.apiVersion, `${failure}: failed to convert merged object to last applied version`)
  if (before === undefined) return merged
  let pruned = without(before, ensureNamedFields(last.set, before.type))
  pruned = yield* addBackOwned(before, pruned, managed, convert)
  pruned = yield* addBackDangling(before, pruned, last, convert)
  return (yield* convert(pruned, now.apiVersion, failure)) ?? merged
}

function hasOtherVersion(managed: Managed, apiVersion: string): boolean {
  return managed.values().some((entry) => entry.apiVersion !== apiVersion)
}

const failure = 'failed to prune fields'

function describeFailedAdd(items: string): string {
  return `${failure}: failed add back ${items} items`
}

function without(object: TypedObject, set: FieldSet): TypedObject {
  return { ...object, value: (removeItems(object.type, object.value, set) ?? {}) as JsonObject }
}

function collectFields({ type, value }: TypedObject): FieldSet {
  return ensureNamedFields(toFieldSet(type, value), type)
}

/**
 * Restores removed fields that a manager owns. Starts with the API version of the pruned object, because the conversion to other versions may
 * need its fields.
 */
function* addBackOwned(merged: TypedObject, pruned: TypedObject, managed: Managed, convert: ConvertTyped): Steps<TypedObject> {
  const owned = new Map<string, FieldSet[]>([[merged.apiVersion, []]])
  for (const { apiVersion, set } of managed.values()) {
    const sets = owned.get(apiVersion)
    if (sets === undefined) owned.set(apiVersion, [set])
    else sets.push(set)
  }
  let result = pruned
  for (const [apiVersion, sets] of owned) {
    const set = uniteSets(sets)
    if (isEmptySet(set)) continue
    const mergedObject = yield* convert(
      merged,
      apiVersion,
      `${describeFailedAdd('owned')}: failed to convert merged object at version ${apiVersion}`,
    )
    const prunedObject = yield* convert(
      result,
      apiVersion,
      `${describeFailedAdd('owned')}: failed to convert pruned object at version ${apiVersion}`,
    )
    if (mergedObject === undefined || prunedObject === undefined) continue
    const keptFields = union(collectFields(prunedObject), ensureNamedFields(set, mergedObject.type))
    result = without(mergedObject, subtractSet(collectFields(mergedObject), keptFields))
  }
  return result
}

/** Restores removed fields without an owner, except those that the manager applied last time. */
function* addBackDangling(merged: TypedObject, pruned: TypedObject, last: VersionedSet, convert: ConvertTyped): Steps<TypedObject> {
  const prunedObject = yield* convert(
    pruned,
    last.apiVersion,
    `${describeFailedAdd('dangling')}: failed to convert pruned object to last applied version`,
  )
  if (prunedObject === undefined) return merged
  const gone = subtractSet(collectFields(merged), collectFields(prunedObject))
  return without(merged, intersectSets(gone, ensureNamedFields(last.set, merged.type)))
}

/** Adds to a set the structs that contain its paths: `spec.replicas` adds `spec`. Does not add keys of maps. */
function ensureNamedFields(set: FieldSet, type: MergeType | undefined): FieldSet {
  return ensureFields(set, type, false) ?? leaf
}

function ensureFields(set: FieldSet, schema: MergeType | undefined, member: boolean): FieldSet | undefined {
  const type = schema?.kind === 'any' ? schema.map : schema
  const node = new NodeBuilder(member)
  for (const element of listElements(set)) {
    const child = set[element]!
    const field = type?.kind === 'map' ? type.byElement.get(element) : undefined
    node.add(element, ensureFields(child, field?.type ?? findInnerType(type, element), isMember(child) || field !== undefined))
  }
  return node.build()
}

function findInnerType(type: ResolvedType | undefined, element: PathElement): MergeType | undefined {
  if (!element.startsWith('f:')) return type?.kind === 'list' ? type.items : undefined
  return type?.kind === 'map' ? type.values : undefined
}

/** Returns `value` without the members and items of the set. A container that becomes empty is null in the result. Does not modify its arguments. */
function removeItems(type: MergeType, value: JsonValue, set: FieldSet): JsonValue {
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
  const items: JsonValue[] = []
  for (const item of list) {
    const node = set[listElement(type, item)]
    if (node === undefined) items.push(item)
    else if (!isMember(node)) items.push(removeItems(type.items, item, node))
  }
  return items.length > 0 ? items : null
}

function removeFromMap(type: MergeMap, map: JsonObject, set: FieldSet): JsonValue {
  const members: JsonObject = {}
  for (const name of Object.keys(map)) {
    const node = set[createFieldElement(name)]
    const inner = type.byName.get(name)?.type ?? type.values
    if (node === undefined || inner === undefined) setOwn(members, name, map[name]!)
    else if (!isMember(node)) setOwn(members, name, removeItems(inner, map[name]!, node))
  }
  return isEmptyMap(members) ? null : members
}
