import type { KubeObject } from '@keelson/apimachinery'
import { eventType } from '@keelson/storagebackend'
import type { ObjectEventType, Revision, StoredObject } from '@keelson/storagebackend'
import type { ObjectChange } from './cache-state.ts'
import { withRevision } from './with-revision.ts'

export interface CacheEventInit<T extends KubeObject> {
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
