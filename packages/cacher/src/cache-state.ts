import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { createMatcher, OrderedTree, VersionedTree } from '@keelson/storagebackend'
import type {
  ObjectEvent,
  ObjectEvents,
  ObjectSnapshot,
  Revision,
  StoredObject,
  ObjectList,
  ObjectSnapshots,
  TreeSnapshot,
} from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'
import type { EventRing } from './event-ring.ts'

/** An event that has an object, which is any event except a bookmark. */
export type ObjectChange<T extends KubeObject> = Extract<ObjectEvent<T>, { readonly object: StoredObject<T> }>

/** The objects of a cache: the newest state, and the past states since the oldest event in the ring. */
export interface CacheState<T extends KubeObject> {
  /** The newest state. It is consistent only between two batches. */
  readonly newest: ObjectSnapshot<T>
  /** Returns a past state, or undefined if it has been dropped. `ring` must contain the events up to the newest state. */
  getStateAt(revision: Revision, ring: EventRing<CacheEvent<T>>): ObjectSnapshot<T> | undefined
  /** Starts a batch of changes. Throws if the batch cannot be applied. The state is then unchanged. */
  beginBatch(batch: ObjectEvents<T>): void
  /** Applies one change of the batch, in the order of the batch. Returns the object before the change. */
  apply(change: ObjectChange<T>): StoredObject<T> | undefined
  /** Ends a revision after all its changes have been applied. States before `oldest` may be dropped. */
  endRevision(revision: Revision, oldest: Revision): void
}

/**
 * The state of a cache over a storage with `ObjectSnapshots`. Each batch of the storage includes the state after the batch, so the cache
 * needs no copy of the objects.
 */
export class StoreState<T extends KubeObject> implements CacheState<T> {
  readonly #store: ObjectSnapshots<T>
  newest: ObjectSnapshot<T>

  /** Throws if the store has already dropped the state that `list` contains. */
  constructor(store: ObjectSnapshots<T>, list: ObjectList<T>) {
    this.#store = store
    this.newest = requireState(store.findSnapshot(list.revision))
  }

  getStateAt(revision: Revision): ObjectSnapshot<T> | undefined {
    return this.#store.findSnapshot(revision)
  }

  beginBatch({ state }: ObjectEvents<T>): void {
    this.newest = requireState(state)
  }

  apply({ previous }: ObjectChange<T>): StoredObject<T> | undefined {
    return previous
  }

  endRevision(): void {}
}

/** Returns the state. Throws if it is undefined because the store has dropped it. The cache must then be filled again. */
function requireState<T extends KubeObject>(state: ObjectSnapshot<T> | undefined): ObjectSnapshot<T> {
  if (state === undefined) throw new Error('the store no longer has the state after these changes')
  return state
}

/** The number of objects without a match after which a walk lets its caller pause. */
const skippedBetweenPauses = 32

/**
 * The state of a cache over a storage without `ObjectSnapshots`. It keeps the objects in its own tree. Past versions of the tree are
 * computed with the changes in the ring.
 */
export class TreeState<T extends KubeObject> implements CacheState<T> {
  readonly #tree: VersionedTree<StoredObject<T>>
  /** The number of changes applied since the last revision ended. */
  #changes = 0

  /** Creates the state from a list of objects in key order. */
  constructor(objects: readonly StoredObject<T>[], revision: Revision) {
    this.#tree = new VersionedTree(OrderedTree.fromSorted(objects), revision)
  }

  static async of<T extends KubeObject>(list: ObjectList<T>): Promise<TreeState<T>> {
    const objects: StoredObject<T>[] = []
    const slice = new TimeSlice()
    for (const object of list.items) {
      objects.push(object)
      const pause = slice.pauseIfOver()
      if (pause) await pause
    }
    return new TreeState(objects, list.revision)
  }

  get newest(): ObjectSnapshot<T> {
    return createSnapshot(this.#tree.newest.snapshot())
  }

  getStateAt(revision: Revision, ring: EventRing<CacheEvent<T>>): ObjectSnapshot<T> | undefined {
    const tree = this.#tree.at(revision, (edited, after, until) => {
      let position = ring.positionAfter(after)
      if (position === undefined) return false
      for (let event = ring.at(position); event !== undefined && event.revision <= until; event = ring.at(++position)) {
        if (event.object === undefined) edited.delete(event.key)
        else edited.set(event.object)
      }
      return true
    })
    return tree && createSnapshot(tree)
  }

  beginBatch(): void {}

  apply({ type, object }: ObjectChange<T>): StoredObject<T> | undefined {
    this.#changes++
    const { newest } = this.#tree
    const previous = newest.get(object.key)
    if (type === 'DELETED') newest.delete(object.key)
    else newest.set(object)
    return previous
  }

  endRevision(revision: Revision, oldest: Revision): void {
    this.#tree.endRevision(revision, this.#changes)
    this.#changes = 0
    this.#tree.dropBefore(oldest)
  }
}

function createSnapshot<T extends KubeObject>(tree: TreeSnapshot<StoredObject<T>>): ObjectSnapshot<T> {
  return {
    get: (key) => tree.get(key),
    scan: (range) => tree.scan(range),
    select: (range, predicate) => selectEach(tree.scan(range), createMatcher(predicate)),
    count: (range) => tree.count(range),
  }
}

function* selectEach<T extends KubeObject>(
  objects: Iterable<StoredObject<T>>,
  matches: ((object: StoredObject) => boolean) | undefined,
): Generator<StoredObject<T> | undefined, undefined> {
  let skipped = 0
  for (const object of objects) {
    if (matches === undefined || matches(object)) yield object
    else if (++skipped % skippedBetweenPauses === 0) yield undefined
  }
}
