import type { JsonObject } from '../meta.ts'
import { ensureNamedFields } from './ensure-named-fields.ts'
import { containsSet, difference, intersection, isEmptySet, union, unionOf } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import type { Managed, VersionedSet } from './managed.ts'
import { removeItems } from './remove-items.ts'
import { toFieldSet } from './to-field-set.ts'
import type { ConvertTyped, TypedObject } from './typed-object.ts'

/** Removes fields that the applier applied last time but not `now`, unless others own them. `managed` already contains the new set. */
export function prune(
  merged: TypedObject,
  managed: Managed,
  { last, now, convert }: { readonly last: VersionedSet | undefined; readonly now: VersionedSet; readonly convert: ConvertTyped },
): TypedObject {
  if (last === undefined || isEmptySet(last.set)) return merged
  // Appliers usually repeat all previous fields, so nothing is removed.
  if (last.apiVersion === now.apiVersion && containsSet(now.set, last.set)) return merged
  const before = convert(merged, last.apiVersion)
  if (before === undefined) return merged
  let pruned = without(before, ensureNamedFields(last.set, before.type))
  pruned = addBackOwned(before, pruned, managed, convert)
  pruned = addBackDangling(before, pruned, last, convert)
  return convert(pruned, now.apiVersion) ?? merged
}

function without(object: TypedObject, set: FieldSet): TypedObject {
  return { ...object, value: (removeItems(object.type, object.value, set) ?? {}) as JsonObject }
}

function fieldsOf({ type, value }: TypedObject): FieldSet {
  return ensureNamedFields(toFieldSet(type, value), type)
}

/** Restores fields that have owners. The pruned version is first, because other versions may need its fields for conversion. */
function addBackOwned(merged: TypedObject, pruned: TypedObject, managed: Managed, convert: ConvertTyped): TypedObject {
  const owned = new Map<string, FieldSet[]>([[merged.apiVersion, []]])
  for (const { apiVersion, set } of managed.values()) {
    const sets = owned.get(apiVersion)
    if (sets === undefined) owned.set(apiVersion, [set])
    else sets.push(set)
  }
  let result = pruned
  for (const [apiVersion, sets] of owned) {
    const set = unionOf(sets)
    if (isEmptySet(set)) continue
    const whole = convert(merged, apiVersion)
    const rest = convert(result, apiVersion)
    if (whole === undefined || rest === undefined) continue
    const kept = union(fieldsOf(rest), ensureNamedFields(set, whole.type))
    result = without(whole, difference(fieldsOf(whole), kept))
  }
  return result
}

/** Restores unowned fields, unless the applier applied them last time. */
function addBackDangling(merged: TypedObject, pruned: TypedObject, last: VersionedSet, convert: ConvertTyped): TypedObject {
  const rest = convert(pruned, last.apiVersion)
  if (rest === undefined) return merged
  const gone = difference(fieldsOf(merged), fieldsOf(rest))
  return without(merged, intersection(gone, ensureNamedFields(last.set, merged.type)))
}
