import type { KubeObject, DeepReadonly } from '@keelson/apimachinery'
import { selectEventType, createKeyRange, createMatcher, createPrefixRange } from '@keelson/storagebackend'
import type { ObjectEventType, Revision, StoredObject, ObjectSnapshot, Predicate } from '@keelson/storagebackend'
import type { ObjectChange } from './cache-state.ts'

interface CacheEventInit<T extends KubeObject> {
  readonly key: string
  readonly revision: Revision
  /** The new object. Undefined for a deletion. */
  readonly object: StoredObject<T> | undefined
  /** The object before the change. Undefined for a creation. */
  readonly previous: StoredObject<T> | undefined
  /** The time when the cache received the change, in milliseconds since the epoch. */
  readonly time: number
}

/**
 * One change of one object, as the event ring keeps it. All watchers get the same `ObjectEvent`s, so that each one is encoded only once.
 * The encoded bytes are attached to the `ObjectEvent`s, so they would use memory as long as the ring has the event. `forget` releases the
 * `ObjectEvent`s earlier.
 */
export class CacheEvent<T extends KubeObject = KubeObject> implements CacheEventInit<T> {
  readonly key: string
  readonly revision: Revision
  readonly object: StoredObject<T> | undefined
  readonly previous: StoredObject<T> | undefined
  readonly time: number
  #byType: Record<ObjectEventType, ObjectChange<T> | undefined> | undefined

  constructor(change: CacheEventInit<T>) {
    this.key = change.key
    this.revision = change.revision
    this.object = change.object
    this.previous = change.previous
    this.time = change.time
  }

  /**
   * Returns the `ObjectEvent` for a watcher with a selector, or undefined if the watcher gets none. `before` and `now` say whether the
   * selector matched before and after the change. An object that starts to match is ADDED. An object that stops to match is DELETED, and
   * the event has the previous object with the revision of this change.
   */
  seenAs(before: boolean, now: boolean): ObjectChange<T> | undefined {
    const type = selectEventType(before, now)
    if (type === undefined) return undefined
    const events = (this.#byType ??= { ADDED: undefined, MODIFIED: undefined, DELETED: undefined })
    return (events[type] ??= { type, object: now ? this.object! : withRevision(this.previous!, this.revision) })
  }

  /** Releases the shared `ObjectEvent`s. Watchers that need this event later get new ones. */
  forget(): void {
    this.#byType = undefined
  }
}

/** Returns the stored object with another revision, for DELETED events. The bytes are shared. */
function withRevision<T extends KubeObject>(stored: StoredObject<T>, revision: Revision): StoredObject<T> {
  return stored.revision === revision ? stored : new ObjectAtRevision(stored, revision)
}

class ObjectAtRevision<T extends KubeObject> implements StoredObject<T> {
  readonly isStoredObject = true as const
  readonly revision: Revision
  readonly #of: StoredObject<T>

  constructor(of: StoredObject<T>, revision: Revision) {
    this.#of = of
    this.revision = revision
  }

  get key(): string {
    return this.#of.key
  }
  get body(): Uint8Array {
    return this.#of.body
  }
  get spliceAt(): number {
    return this.#of.spliceAt
  }
  get labels(): Readonly<Record<string, string>> | undefined {
    return this.#of.labels
  }
  field(name: string): string {
    return this.#of.field(name)
  }
  object(): DeepReadonly<T> {
    const object = this.#of.object()
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.revision) } }
  }
  copy(): T {
    const object = this.#of.copy()
    object.metadata.resourceVersion = String(this.revision)
    return object
  }
}

/** The objects that a watcher or list selects: those under a prefix, or at one key, that match the selectors. */
export class Selection<T extends KubeObject = KubeObject> {
  readonly key: string
  readonly recursive: boolean
  readonly #predicate: Predicate | undefined
  readonly #matches: ((object: StoredObject) => boolean) | undefined

  constructor(key: string, recursive: boolean, predicate: Predicate | undefined) {
    this.key = key
    this.recursive = recursive
    this.#predicate = predicate
    this.#matches = createMatcher(predicate)
  }

  /** Iterates over the selected objects of a state. It sometimes returns undefined between two objects, so that the caller can pause. */
  selectFrom(state: ObjectSnapshot<T>): Iterator<StoredObject<T> | undefined> {
    const range = this.recursive ? createPrefixRange(this.key) : createKeyRange(this.key)
    return this.#predicate === undefined ? state.scan(range) : state.select(range, this.#predicate)
  }

  matches(object: StoredObject<T>): boolean {
    if (this.recursive ? !object.key.startsWith(this.key) : object.key !== this.key) return false
    return this.#matches === undefined || this.#matches(object)
  }

  /** Returns the value that the field selector requires for a field, or undefined if it requires none. */
  requires(field: string): string | undefined {
    return this.#predicate?.fields.requiresExactMatch(field)
  }

  /**
   * Returns the value that the field selector requires for a field, if that is the only requirement for objects under `prefix`. Otherwise
   * returns undefined.
   */
  requiresOnly(field: string, prefix: string): string | undefined {
    const selectsAll = this.recursive && this.key === prefix
    const selectsByField = this.#predicate?.labels.empty === true && this.#predicate.fields.requirements.length === 1
    return selectsAll && selectsByField ? this.requires(field) : undefined
  }
}
