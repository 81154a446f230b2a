import type { KubeObject, DeepReadonly } from '@keelson/apimachinery'
import { eventType, keyRange, matcher, prefixRange } from '@keelson/storagebackend'
import type { ObjectEventType, Revision, StoredObject, ObjectSnapshot, Predicate } from '@keelson/storagebackend'
import type { ObjectChange } from './cache-state.ts'

interface CacheEventInit<T extends KubeObject> {
  readonly key: string
  readonly revision: Revision
  /** Undefined for a deletion. */
  readonly object: StoredObject<T> | undefined
  /** Undefined for a creation. */
  readonly previous: StoredObject<T> | undefined
  /** When the cache received the change; ms since epoch. */
  readonly time: number
}

/**
 * One change of one object in the ring. All watchers get the same event objects, so that a frame is made once for all of them. Frames are
 * kept with the event objects and must not live as long as the ring does: `forget` releases them.
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
   * The event for a watcher whose selector matched the object before the change (`before`) and matches it after (`now`). Entering the selection is
   * ADDED, leaving it is DELETED with the previous object under this event's revision.
   */
  seenAs(before: boolean, now: boolean): ObjectChange<T> | undefined {
    const type = eventType(before, now)
    if (type === undefined) return undefined
    const events = (this.#byType ??= { ADDED: undefined, MODIFIED: undefined, DELETED: undefined })
    return (events[type] ??= { type, object: now ? this.object! : withRevision(this.previous!, this.revision) })
  }

  /** Releases the shared event objects; a watcher that comes later gets new ones. */
  forget(): void {
    this.#byType = undefined
  }
}

/** The same bytes under another revision, for DELETED events. */
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

/** The objects that one watcher sees: those under a prefix (or at one key) that its selectors match. */
export class Selection<T extends KubeObject = KubeObject> {
  readonly key: string
  readonly recursive: boolean
  readonly #predicate: Predicate | undefined
  readonly #matches: ((object: StoredObject) => boolean) | undefined

  constructor(key: string, recursive: boolean, predicate: Predicate | undefined) {
    this.key = key
    this.recursive = recursive
    this.#predicate = predicate
    this.#matches = matcher(predicate)
  }

  /** Its objects in a state. Undefined stands for an object that the selectors do not match. */
  selectFrom(state: ObjectSnapshot<T>): Iterator<StoredObject<T> | undefined> {
    const range = this.recursive ? prefixRange(this.key) : keyRange(this.key)
    return this.#predicate === undefined ? state.scan(range) : state.select(range, this.#predicate)
  }

  matches(object: StoredObject<T>): boolean {
    if (this.recursive ? !object.key.startsWith(this.key) : object.key !== this.key) return false
    return this.#matches === undefined || this.#matches(object)
  }

  /** The value that the field selector requires of a field, if any. */
  requires(field: string): string | undefined {
    return this.#predicate?.fields.requiresExactMatch(field)
  }

  /** The same, but only if the selection requires nothing else of the objects under `prefix`. */
  requiresOnly(field: string, prefix: string): string | undefined {
    const all = this.recursive && this.key === prefix
    const alone = this.#predicate?.labels.empty === true && this.#predicate.fields.requirements.length === 1
    return all && alone ? this.requires(field) : undefined
  }
}
