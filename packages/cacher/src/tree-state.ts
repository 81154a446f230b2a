import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { matcher, OrderedTree, VersionedTree } from '@keelson/storagebackend'
import type { ObjectList, ObjectSnapshot, Revision, StoredObject, TreeSnapshot } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'
import type { CacheState, ObjectChange } from './cache-state.ts'
import type { EventRing } from './event-ring.ts'

/** A walk may pause after so many objects that the predicate does not match. */
const skippedBetweenPauses = 32

/** The state of a cache over a storage without `ObjectSnapshots`: a tree of the cache's own. The ring has the changes between its versions. */
export class TreeState<T extends KubeObject> implements CacheState<T> {
  readonly #tree: VersionedTree<StoredObject<T>>
  /** Of the revision that is being applied. */
  #changes = 0

  /** `objects` are in key order. */
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
