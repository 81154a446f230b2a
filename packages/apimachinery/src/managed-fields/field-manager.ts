import { newBadRequest, newUnknownError } from '../api-errors.ts'
import { decodeStruct } from '../decode-struct.ts'
import { isJsonError } from '../json-error.ts'
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../meta.ts'
import type { GroupVersionKind } from '../names.ts'
import { formatTime } from '../time.ts'
import type { StructSchema } from '../type-schema.ts'
import { capUpdateManagers } from './cap-managers.ts'
import { equalValues } from './compare-values.ts'
import { ApplyConflicts, newFieldManagerConflict } from './conflicts.ts'
import type { FieldFilter } from './field-filter.ts'
import { difference, fieldsAt, hasPath, isEmptySet, union } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { foldAtomic } from './fold-atomic.ts'
import { clientSideApplier, fieldsLastApplied, updateLastApplied } from './last-applied.ts'
import { decodeManaged, encodeManaged, identityOf, identityText } from './managed.ts'
import type { Managed } from './managed.ts'
import { mergeValues } from './merge.ts'
import { mergeTypeOf } from './merge-type.ts'
import { compareObjects, takeFields } from './owners.ts'
import type { OwnersChange } from './owners.ts'
import { prune } from './prune.ts'
import { toFieldSet } from './to-field-set.ts'
import { TypedError } from './typed-error.ts'
import type { TypedObject } from './typed-object.ts'
import { validateTyped } from './validate-typed.ts'

/** What a field manager must be told of a kind and its versions. Versions are written as in `apiVersion`. */
export interface VersionedKind {
  /** Undefined when that version has no such kind. */
  schemaOf(apiVersion: string): StructSchema | undefined
  /** Must not change its argument. */
  fromHub(object: KubeObject, apiVersion: string): KubeObject
  /** May change its argument. */
  toHub(object: KubeObject, apiVersion: string): KubeObject
  setDefaults(object: KubeObject, apiVersion: string): void
}

export interface FieldManagerOptions {
  /** In the version that writes come in. */
  readonly kind: GroupVersionKind
  /** "" or "status". */
  readonly subresource: string
  readonly versions: VersionedKind
  /** What writes of this path cannot change, though they may say so. */
  readonly resetFields?: FieldFilter | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Never anybody's. */
const unmanaged = fieldsAt(
  'apiVersion',
  'kind',
  'metadata',
  'metadata.name',
  'metadata.namespace',
  'metadata.creationTimestamp',
  'metadata.selfLink',
  'metadata.uid',
  'metadata.clusterName',
  'metadata.generation',
  'metadata.managedFields',
  'metadata.resourceVersion',
)

/**
 * Keeps `metadata.managedFields` of the objects of one kind, as one version and path of them write: who set which field last, and by
 * server-side apply, who claims which. Objects are in their hub form.
 */
export class FieldManager {
  readonly #options: FieldManagerOptions
  readonly #apiVersion: string
  readonly #schema: StructSchema
  #empty: TypedObject | undefined

  /** Throws for a kind that has no schema in its own version. */
  constructor(options: FieldManagerOptions) {
    const { group, version } = options.kind
    this.#options = options
    this.#apiVersion = group === '' ? version : `${group}/${version}`
    const schema = options.versions.schemaOf(this.#apiVersion)
    if (schema === undefined) throw new TypeError(`no schema of ${options.kind.kind} in ${this.#apiVersion}`)
    this.#schema = schema
  }

  /**
   * Writes into `next` who manages what after an update by `manager`. `live`: what is stored, undefined when nothing is. An object that
   * cannot be followed is left without managers. `sent`: the same as `next`, where lists that a client sent empty still are.
   */
  update(live: KubeObject | undefined, next: KubeObject, manager: string, sent: KubeObject = next): void {
    const managed = this.#managedBefore(live, next)
    const given = next.metadata.managedFields
    delete next.metadata.managedFields
    if (managed.size === 0 && isStored(live)) return
    try {
      const untouched = given === undefined || given === live?.metadata.managedFields
      if (this.#follow(this.#liveObject(live), this.#typed(sent), managed, manager) || !untouched || live === undefined) {
        setManaged(next, managed)
      } else if (live.metadata.managedFields !== undefined) next.metadata.managedFields = live.metadata.managedFields
    } catch (error) {
      if (!(error instanceof TypedError)) throw error
    }
  }

  /** What `live` becomes when `config` is applied to it. `config` has kind and apiVersion. Throws `ApiError`. */
  apply(live: KubeObject | undefined, config: JsonObject, manager: string, force: boolean): KubeObject {
    this.#checkConfig(config)
    const managed = decodeManaged(live?.metadata.managedFields, true)
    const liveObject = this.#liveObject(live)
    if (managed.size === 0) this.#follow(this.#emptyObject(), liveObject, managed, 'before-first-apply')
    const typed = this.#typedConfig(config)
    const id = identityText(identityOf(manager, 'Apply', this.#apiVersion, this.#options.subresource))
    let merged: TypedObject | undefined
    const after = new Map(managed)
    try {
      merged = this.#applyTyped(liveObject, typed, after, { manager, id, force })
    } catch (error) {
      if (!(error instanceof ApplyConflicts)) throw this.#explain(error, typed)
      const rest = manager === clientSideApplier ? notLastApplied(error, liveObject) : error
      if (rest !== undefined) throw newFieldManagerConflict(rest)
      after.clear()
      for (const [key, entry] of managed) after.set(key, entry)
      merged = this.#applyTyped(liveObject, typed, after, { manager, id, force: true })
    }
    const result = merged === undefined ? this.#copyOf(live) : this.#resultOf(merged)
    const own = after.get(id)
    if (merged !== undefined && own !== undefined) after.set(id, { ...own, time: this.#time() })
    if (manager === clientSideApplier) updateLastApplied(result, config)
    setManaged(result, after)
    return result
  }

  /** Takes what changed from those who owned it and gives it to `manager`. False when nobody owns other than before. */
  #follow(live: TypedObject, next: TypedObject, managed: Managed, manager: string): boolean {
    const change: OwnersChange = { live, next, convert: this.#convert, filter: this.#options.resetFields }
    const comparison = compareObjects(change)
    const before = new Map(managed)
    if (comparison !== undefined) this.#foldAtomic(managed)
    takeFields(managed, change, comparison, { force: true })
    if (comparison !== undefined) {
      const set = difference(union(comparison.modified, comparison.added), unmanaged)
      if (!isEmptySet(set)) this.#give(managed, manager, set)
    }
    capUpdateManagers(managed)
    return managed.size !== before.size || [...managed].some(([id, entry]) => before.get(id) !== entry)
  }

  #foldAtomic(managed: Managed): void {
    for (const [id, entry] of managed) {
      const schema = this.#options.versions.schemaOf(entry.apiVersion)
      const set = schema === undefined ? entry.set : foldAtomic(entry.set, mergeTypeOf(schema))
      if (set !== entry.set) managed.set(id, { ...entry, set })
    }
  }

  #give(managed: Managed, manager: string, set: FieldSet): void {
    const identity = identityOf(manager === '' ? 'unknown' : manager, 'Update', this.#apiVersion, this.#options.subresource)
    const id = identityText(identity)
    const previous = managed.get(id)
    const owned = previous === undefined ? set : union(set, previous.set)
    managed.set(id, { identity, set: owned, apiVersion: this.#apiVersion, applied: false, time: this.#time() })
  }

  /** Undefined when the object is as it was. */
  #applyTyped(
    live: TypedObject,
    config: TypedObject,
    managed: Managed,
    { manager, id, force }: { readonly manager: string; readonly id: string; readonly force: boolean },
  ): TypedObject | undefined {
    const apiVersion = this.#apiVersion
    this.#foldAtomic(managed)
    const last = managed.get(id)
    const claimed = toFieldSet(config.type, config.value)
    const set = this.#options.resetFields?.(claimed) ?? claimed
    const identity = identityOf(manager, 'Apply', apiVersion, this.#options.subresource)
    managed.set(id, { identity, set, apiVersion, applied: true, time: last?.time })
    const merged = { ...live, value: mergeValues(live.type, live.value, config.value) as JsonObject }
    const next = prune(merged, managed, last, { apiVersion, convert: this.#convert })
    const change: OwnersChange = { live, next, convert: this.#convert, filter: this.#options.resetFields }
    takeFields(managed, change, compareObjects(change), { except: id, force })
    const own = managed.get(id)!
    const kept = difference(own.set, unmanaged)
    if (isEmptySet(kept)) managed.delete(id)
    else managed.set(id, { ...own, set: kept })
    return equalValues(live.value, next.value) ? undefined : next
  }

  /** Who managed what before the write: what the client says, if it may and does, else what is stored. */
  #managedBefore(live: KubeObject | undefined, next: KubeObject): Managed {
    const stored = live?.metadata.managedFields
    const given = next.metadata.managedFields
    if (this.#options.subresource === '' && given !== undefined) {
      if (isReset(given)) return new Map()
      if (!equalValues(given, stored)) {
        const managed = decodedOrNone(given, false)
        if (managed.size > 0) return managed
      }
    }
    return decodedOrNone(stored, true)
  }

  #checkConfig(config: JsonObject): void {
    const { kind } = this.#options
    const given = { kind: textOf(config['kind']), apiVersion: textOf(config['apiVersion']) }
    if (given.kind !== kind.kind || given.apiVersion !== this.#apiVersion) {
      throw newBadRequest(`invalid object type: ${showKind(given.apiVersion, given.kind)}`)
    }
    const metadata = config['metadata'] as { managedFields?: unknown } | null | undefined
    if ((metadata?.managedFields ?? null) !== null) throw newBadRequest('metadata.managedFields must be nil')
  }

  #typedConfig(config: JsonObject): TypedObject {
    const { kind: _, apiVersion: __, ...value } = config
    const object: TypedObject = { apiVersion: this.#apiVersion, type: mergeTypeOf(this.#schema), value }
    try {
      validateTyped(object.type, value)
    } catch (error) {
      if (!(error instanceof TypedError)) throw error
      throw newUnknownError(`failed to create typed patch object (${this.#show(object)}): ${error.message}`, { cause: error })
    }
    return object
  }

  #explain(error: unknown, config: TypedObject): unknown {
    if (!(error instanceof TypedError)) return error
    return newUnknownError(`failed to merge config (${this.#show(config)}): ${error.message}`, { cause: error })
  }

  #show({ value }: TypedObject): string {
    const { namespace = '', name = '' } = (value['metadata'] ?? {}) as { namespace?: string; name?: string }
    return `${namespace}/${name}; ${showKind(this.#apiVersion, this.#options.kind.kind)}`
  }

  #liveObject(live: KubeObject | undefined): TypedObject {
    return live === undefined ? this.#emptyObject() : this.#typed(live)
  }

  /** A new object of the kind, with nothing in it. */
  #emptyObject(): TypedObject {
    return (this.#empty ??= {
      apiVersion: this.#apiVersion,
      type: mergeTypeOf(this.#schema),
      value: decodeStruct(this.#schema, {}).object,
    })
  }

  #typed(object: KubeObject): TypedObject {
    const value = this.#options.versions.fromHub(object, this.#apiVersion)
    return { apiVersion: this.#apiVersion, type: mergeTypeOf(this.#schema), value: withoutManaged(value) }
  }

  #toHub(value: JsonObject): KubeObject {
    const { versions } = this.#options
    const { object } = decodeStruct<KubeObject>(this.#schema, value)
    object.metadata ??= {}
    versions.setDefaults(object, this.#apiVersion)
    return versions.toHub(object, this.#apiVersion)
  }

  #resultOf(merged: TypedObject): KubeObject {
    try {
      return this.#toHub(merged.value)
    } catch (error) {
      if (!isJsonError(error)) throw error
      throw newUnknownError(`failed to convert new object (${this.#show(merged)}) to proper version: ${error.message}`, { cause: error })
    }
  }

  #copyOf(live: KubeObject | undefined): KubeObject {
    return live === undefined ? this.#toHub({}) : { ...live, metadata: { ...live.metadata } }
  }

  readonly #convert = (object: TypedObject, apiVersion: string): TypedObject | undefined => {
    if (object.apiVersion === apiVersion) return object
    const { versions } = this.#options
    const from = versions.schemaOf(object.apiVersion)
    const to = versions.schemaOf(apiVersion)
    if (from === undefined || to === undefined) return undefined
    const copy = decodeStruct<KubeObject>(from, object.value).object
    const value = versions.fromHub(versions.toHub(copy, object.apiVersion), apiVersion)
    return { apiVersion, type: mergeTypeOf(to), value: withoutManaged(value) }
  }

  #time(): string {
    return formatTime(this.#options.now())
  }
}

/** Undefined: all that is in conflict is as client-side apply left it. */
function notLastApplied(error: ApplyConflicts, live: TypedObject): ApplyConflicts | undefined {
  const allowed = fieldsLastApplied(live)
  const rest = error.conflicts.filter(({ path }) => !hasPath(allowed, path))
  return rest.length === 0 ? undefined : new ApplyConflicts(rest)
}

function decodedOrNone(entries: readonly ManagedFieldsEntry[] | undefined, trusted: boolean): Managed {
  try {
    return decodeManaged(entries, trusted)
  } catch {
    return new Map()
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isStored(live: KubeObject | undefined): boolean {
  return (live?.metadata.uid ?? '') !== ''
}

/** An empty list, or one with an empty entry, asks that nothing be known any more. */
function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  return entries.length === 0 || (entries.length === 1 && Object.keys(entries[0]!).length === 0)
}

function setManaged({ metadata }: KubeObject, managed: Managed): void {
  const entries = encodeManaged(managed)
  if (entries === undefined) delete metadata.managedFields
  else metadata.managedFields = entries
}

function withoutManaged(object: KubeObject): JsonObject {
  if (object.metadata?.managedFields === undefined) return object as unknown as JsonObject
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata } as unknown as JsonObject
}

/** `apps/v1, Kind=Deployment`. */
function showKind(apiVersion: string, kind: string): string {
  const gv = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  return `${gv}, Kind=${kind}`
}
