import { compareValuesOfType } from './compare.ts'
import type { Comparison } from './compare.ts'
import { ApplyConflicts, conflictsOver } from './conflicts.ts'
import type { FieldFilter } from './field-filter.ts'
import { difference, intersection, isEmptySet, leaf, union } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import type { Managed } from './managed.ts'
import type { ConvertTyped, TypedObject } from './typed-object.ts'

export interface OwnersChange {
  readonly live: TypedObject
  readonly next: TypedObject
  readonly convert: ConvertTyped
  readonly filter: FieldFilter | undefined
  /** As in `compareValuesOfType`. */
  readonly tellsEmpty?: boolean
}

/** Compares two objects, ignoring the fields that the path resets. */
export function compareObjects({ live, next, filter, tellsEmpty }: OwnersChange): Comparison | undefined {
  const comparison = compareValuesOfType(live.type, live.value, next.value, tellsEmpty)
  return comparison === undefined || filter === undefined ? comparison : filtered(comparison, filter)
}

function filtered(comparison: Comparison, filter: FieldFilter): Comparison {
  return { added: filter(comparison.added), modified: filter(comparison.modified), removed: filter(comparison.removed) }
}

/** Fields that other managers lose: those changed and those removed. */
export interface LostFields {
  readonly id: string
  readonly changed: FieldSet
  readonly removed: FieldSet
}

/**
 * Removes changed fields from every manager except `except`. Drops managers without fields and those of unknown versions.
 * Throws `ApplyConflicts` if `force` is false and another manager would lose a changed field.
 */
export function takeFields(
  managed: Managed,
  change: OwnersChange,
  comparison: Comparison | undefined,
  { except, force }: { readonly except?: string; readonly force: boolean },
): void {
  const versions = new Map<string, Taken | undefined>([[change.next.apiVersion, takenBy(comparison)]])
  const losses: LostFields[] = []
  // With few sets, looking up each change in each set is fast. Otherwise each set is intersected with the changes.
  const many = managed.size > maxLookupManagers
  for (const [id, { set, apiVersion }] of managed) {
    if (id === except) continue
    if (!versions.has(apiVersion)) versions.set(apiVersion, takenIn(change, apiVersion))
    const found = versions.get(apiVersion)
    if (found === undefined) managed.delete(id)
    else if (many) losses.push({ id, changed: intersection(set, found.changed), removed: intersection(set, found.removed) })
    else losses.push({ id, changed: intersection(found.changed, set), removed: found.removed })
  }
  if (!force) refuseLosses(managed, losses)
  for (const { id, changed, removed } of losses) {
    const entry = managed.get(id)!
    const set = difference(difference(entry.set, changed), removed)
    if (isEmptySet(set)) managed.delete(id)
    else if (set !== entry.set) managed.set(id, { ...entry, set })
  }
}

/** Real objects have at most ten updaters and a few appliers. */
const maxLookupManagers = 16

/** Lost fields of all managers. */
export type Taken = Omit<LostFields, 'id'>

export function takenBy(comparison: Comparison | undefined): Taken {
  return comparison === undefined ? noFields : { changed: union(comparison.modified, comparison.added), removed: comparison.removed }
}

const noFields: Taken = { changed: leaf, removed: leaf }

/** Returns undefined if the version is unknown. */
function takenIn(change: OwnersChange, apiVersion: string): Taken | undefined {
  const live = change.convert(change.live, apiVersion)
  const next = change.convert(change.next, apiVersion)
  return live && next && takenBy(compareObjects({ ...change, live, next }))
}

function refuseLosses(managed: Managed, losses: readonly LostFields[]): void {
  const conflicts = losses.flatMap(({ id, changed }) => (isEmptySet(changed) ? [] : conflictsOver(id, managed.get(id)!.identity, changed)))
  if (conflicts.length > 0) throw new ApplyConflicts(conflicts)
}
