import type { KubeObject } from '@keelson/apimachinery'
import type { ObjectEvent, ObjectEvents, ObjectSnapshot, Revision, StoredObject } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'
import type { EventRing } from './event-ring.ts'

/** An event that is about an object. */
export type ObjectChange<T extends KubeObject> = Extract<ObjectEvent<T>, { readonly object: StoredObject<T> }>

/** What is there, and what was: as far as the cache has come, and back to where its history begins. */
export interface CacheState<T extends KubeObject> {
  /** Between two batches. While one is taken in, nobody looks. */
  readonly newest: ObjectSnapshot<T>
  /** A past state; undefined when it is held no more. `ring` has the events up to the newest state. */
  at(revision: Revision, ring: EventRing<CacheEvent<T>>): ObjectSnapshot<T> | undefined
  /** Something in the batch is new. Throws, with nothing changed, when it cannot be taken in. */
  beginBatch(batch: ObjectEvents<T>): void
  /** The next change, in order; says what the object was before. */
  apply(change: ObjectChange<T>): StoredObject<T> | undefined
  /** All changes of the revision are in; states before `oldest` will not be asked for. */
  endRevision(revision: Revision, oldest: Revision): void
}
