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
  /** As `compareValuesOfType` has it. */
  readonly tellsEmpty?: boolean
}

/** What a write changes, apart from what it cannot. */
export function compareObjects({ live, next, filter, tellsEmpty }: OwnersChange): Comparison | undefined {
  const comparison = compareValuesOfType(live.type, live.value, next.value, tellsEmpty)
  return comparison === undefined || filter === undefined ? comparison : filtered(comparison, filter)
}

function filtered(comparison: Comparison, filter: FieldFilter): Comparison {
  return { added: filter(comparison.added), modified: filter(comparison.modified), removed: filter(comparison.removed) }
}

/** What changed of what the others own: fields that got other values are no longer theirs, nor are those that went. */
export interface LostFields {
  readonly id: string
  readonly changed: FieldSet
  readonly removed: FieldSet
}

/**
 * Takes from every manager but `except` what the write changed. Managers that own nothing any more go, and those whose version is gone.
 * Throws `ApplyConflicts` instead when `force` is false and somebody would lose a field to another value.
 */
export function takeFields(
  managed: Managed,
  change: OwnersChange,
  comparison: Comparison | undefined,
  { except, force }: { readonly except?: string; readonly force: boolean },
): void {
  const versions = new Map<string, Taken | undefined>([[change.next.apiVersion, takenBy(comparison)]])
  const losses: LostFields[] = []
  // Looking up each change in each set is fast while there are few sets. Else each set looks up what it has: all of them came with the request.
  const many = managed.size > fewManagers
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

/** Objects of a cluster have no more than ten updaters, and a few appliers. */
const fewManagers = 16

/** The same of all fields, whoever owns them. */
export type Taken = Omit<LostFields, 'id'>

export function takenBy(comparison: Comparison | undefined): Taken {
  return comparison === undefined ? nothing : { changed: union(comparison.modified, comparison.added), removed: comparison.removed }
}

const nothing: Taken = { changed: leaf, removed: leaf }

/** Undefined: that version is gone. */
function takenIn(change: OwnersChange, apiVersion: string): Taken | undefined {
  const live = change.convert(change.live, apiVersion)
  const next = change.convert(change.next, apiVersion)
  return live && next && takenBy(compareObjects({ ...change, live, next }))
}

function refuseLosses(managed: Managed, losses: readonly LostFields[]): void {
  const conflicts = losses.flatMap(({ id, changed }) => (isEmptySet(changed) ? [] : conflictsOver(id, managed.get(id)!.identity, changed)))
  if (conflicts.length > 0) throw new ApplyConflicts(conflicts)
}
