import type { KubeObject } from '@keelson/apimachinery'
import type { ObjectEvent, Revision, StoredObject } from '@keelson/storagebackend'
import { restamp } from './restamp.ts'

/**
 * One change of one object, as the ring keeps it. The three forms in which a watcher may see it are made once and shared by all
 * watchers, so that whoever frames events can do that once per event too.
 */
export class CacheEvent<T extends KubeObject = KubeObject> {
  readonly key: string
  readonly revision: Revision
  /** Undefined when the change is a deletion. */
  readonly object: StoredObject<T> | undefined
  /** Undefined when the change is a creation. */
  readonly previous: StoredObject<T> | undefined
  /** When the cache learned of it; ms since epoch. */
  readonly time: number
  #added: ObjectEvent<T> | undefined
  #modified: ObjectEvent<T> | undefined
  #deleted: ObjectEvent<T> | undefined

  constructor(change: {
    readonly key: string
    readonly revision: Revision
    readonly object: StoredObject<T> | undefined
    readonly previous: StoredObject<T> | undefined
    readonly time: number
  }) {
    this.key = change.key
    this.revision = change.revision
    this.object = change.object
    this.previous = change.previous
    this.time = change.time
  }

  /**
   * What a watcher sees whose selector let the object through before (`before`) and now (`now`):
   * entering the selection is ADDED, leaving it is DELETED with the object as it was and this event's revision.
   */
  seenAs(before: boolean, now: boolean): ObjectEvent<T> | undefined {
    if (now && before) return (this.#modified ??= { type: 'MODIFIED', object: this.object! })
    if (now) return (this.#added ??= { type: 'ADDED', object: this.object! })
    if (before) return (this.#deleted ??= { type: 'DELETED', object: restamp(this.previous!, this.revision) })
    return undefined
  }
}
