import type { KubeObject } from '@keelson/apimachinery'
import type { ObjectEvent, Revision, StoredObject } from '@keelson/storagebackend'
import { restamp } from './restamp.ts'

export interface ObjectChange<T extends KubeObject> {
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
 * that once for all of them. They are held weakly: frames hang on them, and must not live as long as the ring does.
 */
export class CacheEvent<T extends KubeObject = KubeObject> implements ObjectChange<T> {
  readonly key: string
  readonly revision: Revision
  readonly object: StoredObject<T> | undefined
  readonly previous: StoredObject<T> | undefined
  readonly time: number
  #added: WeakRef<ObjectEvent<T>> | undefined
  #modified: WeakRef<ObjectEvent<T>> | undefined
  #deleted: WeakRef<ObjectEvent<T>> | undefined

  constructor(change: ObjectChange<T>) {
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
    if (!before && !now) return undefined
    const form = now ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED'
    const shared = this.#shared(form)?.deref()
    if (shared !== undefined) return shared
    const made: ObjectEvent<T> = { type: form, object: now ? this.object! : restamp(this.previous!, this.revision) }
    const reference = new WeakRef(made)
    if (form === 'ADDED') this.#added = reference
    else if (form === 'MODIFIED') this.#modified = reference
    else this.#deleted = reference
    return made
  }

  #shared(form: Form): WeakRef<ObjectEvent<T>> | undefined {
    return form === 'ADDED' ? this.#added : form === 'MODIFIED' ? this.#modified : this.#deleted
  }
}
