import type { ApiError } from '../api-error.ts'
import { newApplyConflict } from '../api-errors.ts'
import { quote, stringifyJson } from '../go-text.ts'
import { mapList } from '../json-value.ts'
import type { ManagedFieldsEntry } from '../meta.ts'
import type { Task } from '../task.ts'
import { compareUtf8 } from '../utf8-order.ts'
import { compareStepwise } from './compare.ts'
import type { Comparison } from './compare.ts'
import type { FieldFilter, FieldSet } from './field-set.ts'
import { subtractSet, intersectSets, isEmptySet, leaf, normalizeFieldSet, listPaths, union, uniteSets } from './field-set.ts'
import { formatPath } from './path-element.ts'
import type { PathElement } from './path-element.ts'
import { maxMessageLength } from './merge-type.ts'
import type { ConvertTyped, Steps, TypedObject } from './merge-type.ts'

/** Fields of a manager, in the API version in which the manager wrote them. */
export interface VersionedSet {
  readonly set: FieldSet
  readonly apiVersion: string
  readonly applied: boolean
}

/** Identity of a manager. For server-side apply, the API version is not part of the identity. */
export interface ManagerIdentity {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
}

export interface ManagedEntry extends VersionedSet {
  readonly identity: ManagerIdentity
  readonly time: string | undefined
}

/** Managers by the JSON of their identities. Messages list managers in the order of this JSON. */
export type Managed = Map<string, ManagedEntry>

export function createIdentity(manager: string, operation: 'Apply' | 'Update', apiVersion: string, subresource: string): ManagerIdentity {
  return { manager, operation, apiVersion: operation === 'Apply' ? '' : apiVersion, subresource }
}

export function formatIdentity({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  return stringifyJson({
    ...(manager !== '' && { manager }),
    operation,
    ...(apiVersion !== '' && { apiVersion }),
    ...(subresource !== '' && { subresource }),
  })
}

/**
 * Decodes the managedFields of an object. `trusted` is true if a server wrote them, so that the sets are already normalized. Throws TypeError for
 * an invalid entry.
 */
export function decodeManaged(entries: readonly ManagedFieldsEntry[] | undefined, trusted: boolean): Managed {
  const managed: Managed = new Map()
  for (const [i, entry] of (entries ?? []).entries()) {
    const { manager = '', operation, apiVersion = '', fieldsType = '', fieldsV1, subresource = '', time } = entry
    if (operation !== 'Apply' && operation !== 'Update') throw new TypeError('operation must be `Apply` or `Update`')
    if (apiVersion === '') throw new TypeError('apiVersion must not be empty')
    if (fieldsType === '') throw new TypeError(`missing fieldsType in managed fields entry ${i}`)
    if (fieldsType !== 'FieldsV1') throw new TypeError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${i}`)
    const identity = createIdentity(manager, operation, apiVersion, subresource)
    const set = trusted && fieldsV1 !== undefined ? (fieldsV1 as unknown as FieldSet) : normalizeFieldSet(fieldsV1)
    managed.set(formatIdentity(identity), { identity, set, apiVersion, applied: operation === 'Apply', time })
  }
  return managed
}

/**
 * Encodes managers as managedFields. As in the API, managers of server-side apply come first, and others are sorted by time and name. Returns
 * undefined without managers.
 */
export function encodeManaged(managed: Managed): ManagedFieldsEntry[] | undefined {
  if (managed.size === 0) return undefined
  return mapList([...managed.values()].sort(compareEntries), encodeEntry)
}

function encodeEntry({ identity, set, apiVersion, time }: ManagedEntry): ManagedFieldsEntry {
  const { manager, operation, subresource } = identity
  return {
    ...(manager !== '' && { manager }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: set,
    ...(subresource !== '' && { subresource }),
  }
}

function compareEntries(a: ManagedEntry, b: ManagedEntry): number {
  return (
    compareUtf8(a.identity.operation, b.identity.operation) ||
    compareUtf8(a.time ?? '', b.time ?? '') ||
    compareUtf8(a.identity.manager, b.identity.manager) ||
    compareUtf8(a.apiVersion, b.apiVersion) ||
    compareUtf8(a.identity.subresource, b.identity.subresource)
  )
}

export interface OwnersChange {
  readonly live: TypedObject
  readonly next: TypedObject
  readonly convert: ConvertTyped
  readonly filter: FieldFilter | undefined
  /** Returns whether the filter applies to another API version than that of `next`. Default: always true. */
  readonly filtersIn?: ((apiVersion: string) => boolean) | undefined
  /** True to detect empty members of atomic lists; see `compareValuesOfType`. */
  readonly detectsEmpty?: boolean
}

/** Compares the live object with the next one. Ignores the fields that `filter` removes. */
export function* compareObjects({ live, next, filter, detectsEmpty }: OwnersChange): Task<Comparison | undefined> {
  const comparison = yield* compareStepwise(live.type, live.value, next.value, detectsEmpty)
  return comparison === undefined || filter === undefined ? comparison : filterComparison(comparison, filter)
}

function filterComparison(comparison: Comparison, filter: FieldFilter): Comparison {
  return { added: filter(comparison.added), modified: filter(comparison.modified), removed: filter(comparison.removed) }
}

/** Fields that a manager loses, because another manager's write changes or removes them. */
interface LostFields {
  readonly id: string
  readonly changed: FieldSet
  readonly removed: FieldSet
}

/**
 * Removes changed fields from all managers except `except`. Also removes managers without fields, and managers whose API version is unknown.
 * Throws `ApplyConflicts` if `force` is false and another manager would lose a field.
 */
export function* takeFields(
  managed: Managed,
  change: OwnersChange,
  comparison: Comparison | undefined,
  { except, force }: { readonly except?: string; readonly force: boolean },
): Steps<void> {
  const versions = new Map<string, TakenFields | undefined>([[change.next.apiVersion, getTakenFields(comparison)]])
  const losses: LostFields[] = []
  // If there are few managers, looking up each change in each set is fast. Otherwise, each set is intersected with the changes.
  const many = managed.size > maxLookupManagers
  for (const [id, { set, apiVersion }] of managed) {
    if (id === except) continue
    if (!versions.has(apiVersion)) versions.set(apiVersion, yield* findTakenFields(change, apiVersion))
    const existing = versions.get(apiVersion)
    if (existing === undefined) managed.delete(id)
    else if (many) losses.push({ id, changed: intersectSets(set, existing.changed), removed: intersectSets(set, existing.removed) })
    else losses.push({ id, changed: intersectSets(existing.changed, set), removed: existing.removed })
  }
  if (!force) refuseLosses(managed, losses)
  for (const { id, changed, removed } of losses) {
    const entry = managed.get(id)!
    const set = subtractSet(subtractSet(entry.set, changed), removed)
    if (isEmptySet(set)) managed.delete(id)
    else if (set !== entry.set) managed.set(id, { ...entry, set })
  }
}

/**
 * Maximum number of managers for which changed fields are looked up one by one. Real objects have at most ten managers that update and a few that
 * apply.
 */
const maxLookupManagers = 16

/** Fields that a write changes or removes. */
export type TakenFields = Omit<LostFields, 'id'>

export function getTakenFields(comparison: Comparison | undefined): TakenFields {
  return comparison === undefined ? noFields : { changed: union(comparison.modified, comparison.added), removed: comparison.removed }
}

const noFields: TakenFields = { changed: leaf, removed: leaf }

/** Returns the changed and removed fields in another API version; undefined if that version is unknown. */
function* findTakenFields(change: OwnersChange, apiVersion: string): Steps<TakenFields | undefined> {
  const live = yield* change.convert(change.live, apiVersion, 'failed to convert old object')
  const next = live && (yield* change.convert(change.next, apiVersion, 'failed to convert new object'))
  const filter = change.filtersIn?.(apiVersion) === false ? undefined : change.filter
  return next && getTakenFields(yield* compareObjects({ ...change, live, next, filter }))
}

function refuseLosses(managed: Managed, losses: readonly LostFields[]): void {
  const conflicts = losses.flatMap(({ id, changed }) =>
    isEmptySet(changed) ? [] : createConflicts(id, managed.get(id)!.identity, changed),
  )
  if (conflicts.length > 0) throw new ApplyConflicts(conflicts)
}

interface Conflict {
  readonly identity: ManagerIdentity
  /** Identity of the manager as JSON, by which managers are sorted. */
  readonly id: string
  readonly path: readonly PathElement[]
}

/** Thrown if an apply without force would change fields of other managers. */
export class ApplyConflicts extends Error {
  override readonly name = 'ApplyConflicts'
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    super('apply conflicts')
    this.conflicts = conflicts.toSorted((a, b) => compareUtf8(a.id, b.id))
  }
}

function createConflicts(id: string, identity: ManagerIdentity, set: FieldSet): Conflict[] {
  return listPaths(set).map((path) => ({ id, identity, path }))
}

/** Builds the 409 of an apply, with a cause for each conflicting field. Omits the causes that exceed the maximum size of a response. */
export function newFieldManagerConflict({ conflicts }: ApplyConflicts): ApiError {
  const causes: { reason: string; message: string; field: string }[] = []
  const lines: string[] = []
  let last: string | undefined
  let length = 0
  for (const { id, identity, path } of conflicts) {
    const field = formatPath(path)
    causes.push({ reason: 'FieldManagerConflict', message: `conflict with ${formatManagerName(identity)}`, field })
    if (id !== last) lines.push(`conflicts with ${formatManagerName(identity)}:`)
    last = id
    lines.push(`- ${field}`)
    length += field.length
    if (length > maxMessageLength) break
  }
  const [only] = causes
  const message =
    conflicts.length === 1
      ? `Apply failed with 1 conflict: ${only!.message}: ${only!.field}`
      : `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
  return newApplyConflict(causes, message)
}

function formatManagerName({ manager, subresource, operation, apiVersion }: ManagerIdentity): string {
  const name = subresource === '' ? quote(manager) : `${quote(manager)} with subresource ${quote(subresource)}`
  return operation === 'Update' ? `${name} using ${apiVersion}` : name
}

/** Maximum number of managers that update. The oldest beyond this number share one entry. */
export const maxUpdateManagers = 10
const bucketName = 'ancient-changes'

interface Merged {
  readonly first: string
  /** Sets to merge. Empty until a second updater with this API version is found. */
  readonly sets: FieldSet[]
  time: string | undefined
}

/** Limits the number of updaters. Merges the oldest ones of each API version into one entry, which gets the time of the newest of them. */
export function capUpdateManagers(managed: Managed): void {
  const updaters = [...managed].filter(([, { applied }]) => !applied)
  let surplus = updaters.length - maxUpdateManagers
  if (surplus <= 0) return
  updaters.sort(([a, x], [b, y]) => compareUtf8(x.time ?? '', y.time ?? '') || compareUtf8(a, b))
  const versions = new Map<string, Merged>()
  for (const [id, { apiVersion, set, time }] of updaters) {
    if (surplus <= 0) break
    const merged = versions.get(apiVersion)
    if (merged === undefined) {
      versions.set(apiVersion, { first: id, sets: [], time })
      continue
    }
    if (merged.sets.length === 0) merged.sets.push(takeBucketOrOldest(managed, apiVersion, merged.first))
    merged.sets.push(set)
    merged.time = time
    managed.delete(id)
    surplus--
  }
  for (const [apiVersion, { sets, time }] of versions) {
    if (sets.length === 0) continue
    const identity = createBucketIdentity(apiVersion)
    managed.set(formatIdentity(identity), { identity, apiVersion, applied: false, set: uniteSets(sets), time })
  }
}

/** Returns the set of the existing "ancient-changes" entry. If there is none, removes the oldest updater of that version and returns its set. */
function takeBucketOrOldest(managed: Managed, apiVersion: string, first: string): FieldSet {
  const existing = managed.get(formatIdentity(createBucketIdentity(apiVersion)))
  if (existing !== undefined) return existing.set
  const { set } = managed.get(first)!
  managed.delete(first)
  return set
}

function createBucketIdentity(apiVersion: string): ManagerIdentity {
  return createIdentity(bucketName, 'Update', apiVersion, '')
}
