import { newBadRequest, newUnknownError } from '../api-errors.ts'
import { copyObject } from '../json-value.ts'
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../meta.ts'
import type { GroupVersionKind } from '../names.ts'
import { pauseIfLong } from '../scheduling.ts'
import { finishTask } from '../task.ts'
import type { Task } from '../task.ts'
import { formatTime } from '../time.ts'
import {
  ApplyConflicts,
  capUpdateManagers,
  compareObjects,
  decodeManaged,
  encodeManaged,
  createIdentity,
  formatIdentity,
  newFieldManagerConflict,
  takeFields,
  getTakenFields,
} from './managed.ts'
import { equalsValue } from './path-element.ts'
import { CreatedShapes, findShapeSet } from './created-shapes.ts'
import type { FieldFilter, FieldSet } from './field-set.ts'
import { containsSet, subtractSet, createFieldSet, hasPath, isEmptySet, leaf, union } from './field-set.ts'
import { TypedError, foldAtomicFields } from './merge-type.ts'
import { clientSideApplier, findLastAppliedFields, updateLastApplied } from './last-applied.ts'
import type { Managed, ManagedEntry, ManagerIdentity, OwnersChange, TakenFields } from './managed.ts'
import { mergeValues } from './merge.ts'
import { prune } from './prune.ts'
import { toFieldSet } from './to-field-set.ts'
import type { Steps, TypedObject } from './merge-type.ts'
import { ConversionError, formatKind, TypedKind } from './versioned-kind.ts'
import type { VersionedKind } from './versioned-kind.ts'

export interface FieldManagerOptions {
  /** Kind of the objects, in the API version of the requests. */
  readonly kind: GroupVersionKind
  /** Subresource of the requests: "" or "status". */
  readonly subresource: string
  readonly versions: VersionedKind
  /** Removes fields that the endpoint resets from a set. Writes to this endpoint never make a manager own such fields. */
  readonly resetFields?: FieldFilter | undefined
  /** Returns whether `resetFields` also applies to the fields of managers that wrote in another API version. Default: always true. */
  readonly resetsIn?: (apiVersion: string) => boolean
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number
}

/** Runs a computation to its end. Returns a promise if it waits for a promise, or if it takes long and has to pause. */
function runInSteps<Result>(
  steps: Steps<Result>,
  next?: () => IteratorResult<Promise<unknown> | undefined, Result>,
): Result | Promise<Result> {
  const began = performance.now()
  for (;;) {
    const step = next === undefined ? steps.next() : next()
    next = undefined
    if (step.done === true) return step.value
    if (step.value !== undefined) {
      return step.value.then(
        (value) => runInSteps(steps, () => steps.next(value)),
        (error: unknown) => runInSteps(steps, () => steps.throw(error)),
      )
    }
    const pause = pauseIfLong(began)
    if (pause !== undefined) return pause.then(() => runInSteps(steps))
  }
}

interface Applier {
  readonly manager: string
  readonly force: boolean
}

/** A manager that writes with an update, and its key in `Managed`. */
interface Updater {
  readonly identity: ManagerIdentity
  readonly id: string
}

/** Fields that no manager owns, such as `metadata.resourceVersion`. */
const unmanaged = createFieldSet(
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

/** Returns the fields of a new object that a manager owns. */
function* listCreatedFields(change: OwnersChange): Task<FieldSet> {
  return subtractSet(getTakenFields(yield* compareObjects(change)).changed, unmanaged)
}

/**
 * Maintains `metadata.managedFields` for one kind, version and subresource. The field records which manager last set each field. With server-side
 * apply, it also records which manager claims each field. Objects are in the hub version of their kind.
 */
export class FieldManager {
  readonly #options: FieldManagerOptions
  readonly #kind: TypedKind
  #created: CreatedShapes | undefined

  /** Creates the field manager of a kind. Throws if the kind has no schema in its own version. */
  constructor(options: FieldManagerOptions) {
    this.#options = options
    this.#kind = new TypedKind(options.kind, options.versions)
  }

  /**
   * Updates `next.metadata.managedFields` after an update by `manager`. `live` is the stored object; undefined for a new object. Removes all
   * managers if the fields cannot be tracked. `sent` is `next` with the marks of members that the client sent as `{}` or `[]`. Returns a promise
   * only if objects are converted by a webhook.
   */
  update(live: KubeObject | undefined, next: KubeObject, manager: string, sent: KubeObject = next): Promise<void> | void {
    const managed = this.#managedBefore(live, next)
    const sentEntries = next.metadata.managedFields
    delete next.metadata.managedFields
    if (managed.size === 0 && isStored(live)) return
    const untouched = sentEntries === undefined || sentEntries === live?.metadata.managedFields
    return runInSteps(this.#update(live, next, managed, { manager, sent, untouched }))
  }

  *#update(
    live: KubeObject | undefined,
    next: KubeObject,
    managed: Managed,
    { manager, sent, untouched }: { readonly manager: string; readonly sent: KubeObject; readonly untouched: boolean },
  ): Steps<void> {
    try {
      const detectsEmpty = sent !== next
      const unchecked = this.#kind.typed(sent)
      yield* this.#kind.prepareMembers(unchecked)
      yield
      const before = this.#kind.checked(this.#kind.typed(live))
      yield
      const after = this.#kind.checked(unchecked)
      yield
      if ((yield* this.#updateOwners(before, after, managed, { manager, detectsEmpty })) || !untouched || live === undefined) {
        setManaged(next, managed)
      } else if (live.metadata.managedFields !== undefined) next.metadata.managedFields = live.metadata.managedFields
    } catch (error) {
      if (!(error instanceof TypedError) && !(error instanceof ConversionError)) throw error
    }
  }

  /**
   * Applies a configuration to the live object, as server-side apply does, and returns a new object. `config` has kind and apiVersion. Throws
   * `ApiError`. Does not pause, and throws an error if an object is converted by a webhook.
   */
  apply(live: KubeObject | undefined, config: JsonObject, manager: string, force: boolean): KubeObject {
    const steps = this.#apply(live, config, { manager, force })
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      if (step.value !== undefined) throw new Error('the conversion of an object needs a promise')
    }
  }

  /** Applies a configuration like `apply`, but pauses between slow steps, and waits for conversions by webhooks. */
  applyInSteps(live: KubeObject | undefined, config: JsonObject, manager: string, force: boolean): KubeObject | Promise<KubeObject> {
    return runInSteps(this.#apply(live, config, { manager, force }))
  }

  *#apply(live: KubeObject | undefined, config: JsonObject, by: Applier): Steps<KubeObject> {
    const { manager } = by
    this.#checkConfig(config)
    const managed = decodeManaged(live?.metadata.managedFields, true)
    try {
      if (managed.size === 0) {
        const existing = this.#typedExisting(live)
        yield* this.#updateOwners(this.#kind.typed(undefined), existing, managed, { manager: 'before-first-apply' })
      }
      yield
      const { object, after } = yield* this.#applyOrExplain(this.#kind.typed(live), config, managed, by)
      yield
      const result = object === undefined ? this.#copyLive(live) : this.#kind.toHub(object, config)
      if (manager === clientSideApplier) updateLastApplied(result, config)
      setManaged(result, after)
      return result
    } catch (error) {
      if (error instanceof ConversionError) throw newUnknownError(error.message, { cause: error })
      if (!(error instanceof TypedError)) throw error
      throw newUnknownError(`failed to create typed live object (${this.#kind.show(this.#kind.typed(live))}): ${error.message}`, {
        cause: error,
      })
    }
  }

  /** Returns the live object, whose fields have no managers yet. Throws `ApiError` if it does not match its schema. */
  #typedExisting(live: KubeObject | undefined): TypedObject {
    const existing = this.#kind.typed(live)
    try {
      return this.#kind.checked(existing)
    } catch (error) {
      if (!(error instanceof TypedError)) throw error
      const why = `failed to convert new object (${this.#kind.show(existing)}) to smd typed: ${error.message}`
      throw newUnknownError(`failed to create manager for existing fields: ${why}`, { cause: error })
    }
  }

  /**
   * Applies a typed configuration. The result has no `object` if nothing changes. Forces the changes of kubectl if all its conflicts are with
   * client-side apply.
   */
  *#applyOrExplain(
    live: TypedObject,
    config: JsonObject,
    managed: Managed,
    { manager, force }: Applier,
  ): Steps<{ object: TypedObject | undefined; after: Managed }> {
    const typed = this.#kind.typedConfig(config)
    yield
    this.#kind.checked(live)
    let after: Managed = new Map(managed)
    try {
      return { object: yield* this.#applyTyped(live, typed, after, { manager, force }), after }
    } catch (error) {
      if (!(error instanceof ApplyConflicts)) throw error
      const remaining = manager === clientSideApplier ? withoutLastApplied(error, live) : error
      if (remaining !== undefined) throw newFieldManagerConflict(remaining)
      after = new Map(managed)
      return { object: yield* this.#applyTyped(live, typed, after, { manager, force: true }), after }
    }
  }

  /** Makes `manager` the owner of all changed fields. Returns false if no owner changes. */
  *#updateOwners(
    live: TypedObject,
    next: TypedObject,
    managed: Managed,
    { manager, detectsEmpty = false }: { readonly manager: string; readonly detectsEmpty?: boolean },
  ): Steps<boolean> {
    const change: OwnersChange = { live, next, convert: this.#kind.convert, ...this.#filters, detectsEmpty }
    const updater = this.#updater(manager)
    if (managed.size === 0 && live === this.#kind.typed(undefined)) {
      this.#created ??= new CreatedShapes(live)
      const shape = this.#created.shapeOf(next)
      yield
      // Shapes of wide objects are not cached.
      const set = shape === undefined ? yield* listCreatedFields(change) : findShapeSet(shape, () => finishTask(listCreatedFields(change)))
      yield
      this.#addFields(managed, updater, set)
      return managed.size > 0
    }
    const comparison = yield* compareObjects(change)
    yield
    const before = new Map(managed)
    if (comparison !== undefined) this.#foldAtomic(managed)
    const takenFields = getTakenFields(comparison)
    const newFields = subtractSet(takenFields.changed, unmanaged)
    const { id } = updater
    yield* takeFields(managed, change, comparison, {
      force: true,
      ...(mayRegainAllFields(managed.get(id), takenFields, newFields) && { except: id }),
    })
    this.#addFields(managed, updater, newFields)
    capUpdateManagers(managed)
    return managed.size !== before.size || [...managed].some(([id, entry]) => before.get(id) !== entry)
  }

  get #filters(): Pick<OwnersChange, 'filter' | 'filtersIn'> {
    const { resetFields, resetsIn } = this.#options
    return { filter: resetFields, filtersIn: resetsIn }
  }

  #foldAtomic(managed: Managed): void {
    for (const [id, entry] of managed) {
      const type = this.#kind.typeIn(entry.apiVersion)
      const set = type === undefined ? entry.set : foldAtomicFields(entry.set, type)
      if (set !== entry.set) managed.set(id, { ...entry, set })
    }
  }

  #addFields(managed: Managed, { identity, id }: Updater, set: FieldSet): void {
    if (isEmptySet(set)) return
    const previous = managed.get(id)?.set ?? leaf
    const owned = containsSet(previous, set) ? previous : union(set, previous)
    managed.set(id, { identity, set: owned, apiVersion: identity.apiVersion, applied: false, time: formatTime(this.#options.now()) })
  }

  #updater(manager: string): Updater {
    const identity = createIdentity(manager === '' ? 'unknown' : manager, 'Update', this.#kind.apiVersion, this.#options.subresource)
    return { identity, id: formatIdentity(identity) }
  }

  /** Applies a typed configuration to the live object. Returns undefined if the object does not change. */
  *#applyTyped(live: TypedObject, config: TypedObject, managed: Managed, { manager, force }: Applier): Steps<TypedObject | undefined> {
    const { apiVersion, convert, conversionMayFail } = this.#kind
    const { resetFields, subresource, now } = this.#options
    const identity = createIdentity(manager, 'Apply', apiVersion, subresource)
    const id = formatIdentity(identity)
    this.#foldAtomic(managed)
    const previous = managed.get(id)
    const claimed = toFieldSet(config.type, config.value)
    const set = resetFields?.(claimed) ?? claimed
    const applied = { identity, set, apiVersion, applied: true, time: previous?.time }
    managed.set(id, applied)
    yield
    const merged = { ...live, value: mergeValues(live.type, live.value, config.value) as JsonObject }
    yield
    const next = yield* prune(merged, managed, { last: previous, now: applied, convert, conversionMayFail })
    yield
    const change: OwnersChange = { live, next, convert, ...this.#filters }
    const comparison = yield* compareObjects(change)
    yield
    yield* takeFields(managed, change, comparison, { except: id, force })
    // Even without a difference in owned fields, the values can differ, for example in the order of a list.
    const changes = comparison !== undefined || !equalsValue(live.value, next.value)
    const managedSet = subtractSet(set, unmanaged)
    if (isEmptySet(managedSet)) managed.delete(id)
    else managed.set(id, { identity, set: managedSet, apiVersion, applied: true, time: changes ? formatTime(now()) : previous?.time })
    return changes ? next : undefined
  }

  /** Returns the managers before the write. If the client sent valid managers and may change them, returns those, otherwise the stored ones. */
  #managedBefore(live: KubeObject | undefined, next: KubeObject): Managed {
    const stored = live?.metadata.managedFields
    const sentEntries = next.metadata.managedFields
    if (this.#options.subresource === '' && sentEntries !== undefined) {
      if (isReset(sentEntries)) return new Map()
      if (!equalsValue(sentEntries, stored)) {
        const managed = decodeOrEmpty(sentEntries, false)
        if (managed.size > 0) return managed
      }
    }
    return decodeOrEmpty(stored, true)
  }

  #checkConfig(config: JsonObject): void {
    const { kind } = this.#options
    const actual = { kind: readText(config['kind']), apiVersion: readText(config['apiVersion']) }
    if (actual.kind !== kind.kind || actual.apiVersion !== this.#kind.apiVersion) {
      throw newBadRequest(`invalid object type: ${formatKind(actual.apiVersion, actual.kind)}`)
    }
    const metadata = config['metadata'] as { managedFields?: unknown } | null | undefined
    if ((metadata?.managedFields ?? null) !== null) throw newBadRequest('metadata.managedFields must be nil')
  }

  #copyLive(live: KubeObject | undefined): KubeObject {
    if (live === undefined) return this.#kind.toHub(this.#kind.typed(undefined), {})
    // Keeps the position of managedFields among the members. Its value is replaced later.
    const metadata = live.metadata.managedFields === undefined ? live.metadata : { ...live.metadata, managedFields: undefined }
    return copyObject({ ...live, metadata } as unknown as JsonObject) as unknown as KubeObject
  }
}

/** Returns whether the owner gets back all fields that it would lose. */
function mayRegainAllFields(owner: ManagedEntry | undefined, { changed, removed }: TakenFields, newFields: FieldSet): boolean {
  if (owner === undefined || isEmptySet(newFields) || !isEmptySet(removed)) return false
  return containsSet(newFields, changed) && containsSet(owner.set, newFields)
}

/** Returns the conflicts without the fields whose values were set by client-side apply; undefined if no conflict remains. */
function withoutLastApplied(error: ApplyConflicts, live: TypedObject): ApplyConflicts | undefined {
  const allowed = findLastAppliedFields(live)
  const conflicts = error.conflicts.filter(({ path }) => !hasPath(allowed, path))
  return conflicts.length === 0 ? undefined : new ApplyConflicts(conflicts)
}

function decodeOrEmpty(entries: readonly ManagedFieldsEntry[] | undefined, trusted: boolean): Managed {
  try {
    return decodeManaged(entries, trusted)
  } catch {
    return new Map()
  }
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isStored(live: KubeObject | undefined): boolean {
  return (live?.metadata.uid ?? '') !== ''
}

/** Returns whether the client asks to clear managedFields, by sending an empty list or a list with one empty entry. */
function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  return entries.length === 0 || (entries.length === 1 && Object.keys(entries[0]!).length === 0)
}

function setManaged({ metadata }: KubeObject, managed: Managed): void {
  const entries = encodeManaged(managed)
  if (entries === undefined) delete metadata.managedFields
  else metadata.managedFields = entries
}
