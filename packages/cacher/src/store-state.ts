import type { KubeObject } from '@keelson/apimachinery'
import type { ObjectEvents, ObjectList, ObjectSnapshot, ObjectSnapshots, Revision, StoredObject } from '@keelson/storagebackend'
import type { CacheState, ObjectChange } from './cache-state.ts'

/** The state of a cache over a storage with `ObjectSnapshots`: each batch of changes comes with the storage's state after it, so nothing is held twice. */
export class StoreState<T extends KubeObject> implements CacheState<T> {
  readonly #store: ObjectSnapshots<T>
  newest: ObjectSnapshot<T>

  /** Throws when the store no longer has the state that it listed. */
  constructor(store: ObjectSnapshots<T>, list: ObjectList<T>) {
    this.#store = store
    this.newest = requireState(store.snapshotAt(list.revision))
  }

  at(revision: Revision): ObjectSnapshot<T> | undefined {
    return this.#store.snapshotAt(revision)
  }

  beginBatch({ state }: ObjectEvents<T>): void {
    this.newest = requireState(state)
  }

  apply({ previous }: ObjectChange<T>): StoredObject<T> | undefined {
    return previous
  }

  endRevision(): void {}
}

/** The state is missing if the store's history moved on before the cache read it. The cache must then be filled again. */
function requireState<T extends KubeObject>(state: ObjectSnapshot<T> | undefined): ObjectSnapshot<T> {
  if (state === undefined) throw new Error('the store no longer has the state after these changes')
  return state
}
