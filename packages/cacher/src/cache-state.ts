import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { matcher, OrderedTree, VersionedTree } from '@keelson/storagebackend'
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

/** An event with an object, which is any event except a bookmark. */
export type ObjectChange<T extends KubeObject> = Extract<ObjectEvent<T>, { readonly object: StoredObject<T> }>

/** The objects of a cache: their newest state, and past states as far back as its history. */
export interface CacheState<T extends KubeObject> {
  /** The newest state. Only valid between two batches. */
  readonly newest: ObjectSnapshot<T>
  /** Returns a past state, or undefined if it has been dropped. `ring` has the events up to the newest state. */
  at(revision: Revision, ring: EventRing<CacheEvent<T>>): ObjectSnapshot<T> | undefined
  /** Starts a batch with new changes. Throws without changing anything if the batch cannot be applied. */
  beginBatch(batch: ObjectEvents<T>): void
  /** Applies the next change, in order. Returns the previous object. */
  apply(change: ObjectChange<T>): StoredObject<T> | undefined
  /** Ends a revision after all its changes were applied. States before `oldest` are not needed any more. */
  endRevision(revision: Revision, oldest: Revision): void
}

/** The state of a cache over a storage with `ObjectSnapshots`. Each batch comes with the storage's state after it, so the cache needs no copy. */
export class StoreState<T extends KubeObject> implements CacheState<T> {
  readonly #store: ObjectSnapshots<T>
  newest: ObjectSnapshot<T>

  /** Throws if the store has already dropped the state that it listed. */
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

/** Returns the state. Throws if the store dropped it before the cache read it. The cache must then be filled again. */
function requireState<T extends KubeObject>(state: ObjectSnapshot<T> | undefined): ObjectSnapshot<T> {
  if (state === undefined) throw new Error('the store no longer has the state after these changes')
  return state
}

/** A walk may pause after this number of objects that do not match the predicate. */
const skippedBetweenPauses = 32

/**
 * The state of a cache over a storage without `ObjectSnapshots`. It keeps its own tree, and the ring has the changes between versions of the tree.
 */
export class TreeState<T extends KubeObject> implements CacheState<T> {
  readonly #tree: VersionedTree<StoredObject<T>>
  /** The number of changes in the current revision. */
  #changes = 0

  /** Creates the state from objects in key order. */
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
    return snapshotOf(this.#tree.newest.snapshot())
  }

  at(revision: Revision, ring: EventRing<CacheEvent<T>>): ObjectSnapshot<T> | undefined {
    const tree = this.#tree.at(revision, (edited, after, until) => {
      let position = ring.positionAfter(after)
      if (position === undefined) return false
      for (let event = ring.at(position); event !== undefined && event.revision <= until; event = ring.at(++position)) {
        if (event.object === undefined) edited.delete(event.key)
        else edited.set(event.object)
      }
      return true
    })
    return tree && snapshotOf(tree)
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

function snapshotOf<T extends KubeObject>(tree: TreeSnapshot<StoredObject<T>>): ObjectSnapshot<T> {
  return {
    get: (key) => tree.get(key),
    scan: (range) => tree.scan(range),
    select: (range, predicate) => selectEach(tree.scan(range), matcher(predicate)),
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
