import type { KubeObject } from '@keelson/apimachinery'
import type { Revision, StoredObject } from '@keelson/storagebackend'
import type { ObjectChange } from './cache-state.ts'
import { restamp } from './restamp.ts'

export interface CacheEventInit<T extends KubeObject> {
  readonly key: string
  readonly revision: Revision
  /** Undefined when the change is a deletion. */
  readonly object: StoredObject<T> | undefined
  /** Undefined when the change is a creation. */
  readonly previous: StoredObject<T> | undefined
  /** When the cache learned of it; ms since epoch. */
  readonly time: number
}

type Form = 'ADDED' | 'MODIFIED' | 'DELETED'

/**
 * One change of one object, as the ring keeps it. All watchers get the same event objects, so that whoever frames events can do
 * that once for all of them. Frames hang on those and must not live as long as the ring does: `forget` lets them go.
 */
export class CacheEvent<T extends KubeObject = KubeObject> implements CacheEventInit<T> {
  readonly key: string
  readonly revision: Revision
  readonly object: StoredObject<T> | undefined
  readonly previous: StoredObject<T> | undefined
  readonly time: number
  #forms: Record<Form, ObjectChange<T> | undefined> | undefined

  constructor(change: CacheEventInit<T>) {
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
  seenAs(before: boolean, now: boolean): ObjectChange<T> | undefined {
    if (!before && !now) return undefined
    const type = now ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED'
    const forms = (this.#forms ??= { ADDED: undefined, MODIFIED: undefined, DELETED: undefined })
    return (forms[type] ??= { type, object: now ? this.object! : restamp(this.previous!, this.revision) })
  }

  /** Who still comes to it gets event objects of its own. */
  forget(): void {
    this.#forms = undefined
  }
}
