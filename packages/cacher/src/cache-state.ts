import type { KubeObject } from '@keelson/apimachinery'
import type { ObjectEvent, ObjectEvents, ObjectSnapshot, Revision, StoredObject } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'
import type { EventRing } from './event-ring.ts'

/** An event with an object: every one except a bookmark. */
export type ObjectChange<T extends KubeObject> = Extract<ObjectEvent<T>, { readonly object: StoredObject<T> }>

/** The objects that a cache holds: their newest state, and past states as far back as its history. */
export interface CacheState<T extends KubeObject> {
  /** Only valid between two batches. */
  readonly newest: ObjectSnapshot<T>
  /** A past state; undefined if it is no longer held. `ring` has the events up to the newest state. */
  at(revision: Revision, ring: EventRing<CacheEvent<T>>): ObjectSnapshot<T> | undefined
  /** Called for batches with new changes. Throws, with nothing changed, if the batch cannot be applied. */
  beginBatch(batch: ObjectEvents<T>): void
  /** Applies the next change, in order. Returns the previous object. */
  apply(change: ObjectChange<T>): StoredObject<T> | undefined
  /** All changes of the revision are applied; states before `oldest` are not needed any more. */
  endRevision(revision: Revision, oldest: Revision): void
}
