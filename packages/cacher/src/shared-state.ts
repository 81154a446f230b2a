import type { KubeObject } from '@keelson/apimachinery'
import type { ObjectEvents, ObjectList, ObjectSnapshot, ObjectSnapshots, Revision, StoredObject } from '@keelson/storagebackend'
import type { CacheState, ObjectChange } from './cache-state.ts'

/** The states of a store that shows them: it hands over, with every batch of changes, what is there after it. Nothing is kept twice. */
export class SharedState<T extends KubeObject> implements CacheState<T> {
  readonly #store: ObjectSnapshots<T>
  newest: ObjectSnapshot<T>

  /** Throws when the store no longer has what it listed. */
  constructor(store: ObjectSnapshots<T>, list: ObjectList<T>) {
    this.#store = store
    this.newest = shown(store.snapshotAt(list.revision))
  }

  at(revision: Revision): ObjectSnapshot<T> | undefined {
    return this.#store.snapshotAt(revision)
  }

  beginBatch({ state }: ObjectEvents<T>): void {
    this.newest = shown(state)
  }

  apply({ previous }: ObjectChange<T>): StoredObject<T> | undefined {
    return previous
  }

  endRevision(): void {}
}

/** A store whose history is gone before it was read has nothing to show: the cache is to be filled anew. */
function shown<T extends KubeObject>(state: ObjectSnapshot<T> | undefined): ObjectSnapshot<T> {
  if (state === undefined) throw new Error('the store does not have the state of these changes any more')
  return state
}
