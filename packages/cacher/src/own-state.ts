import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { matcher, OrderedTree } from '@keelson/storagebackend'
import type { ObjectList, ObjectSnapshot, Revision, StoredObject, TreeSnapshot } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'
import type { CacheState, ObjectChange } from './cache-state.ts'
import type { EventRing } from './event-ring.ts'
import { SnapshotStore } from './snapshot-store.ts'
import type { Snapshot } from './snapshot-store.ts'

/** A version of the tree is kept after so many changes: each one keeps copies of the nodes that were changed since. */
const changesBetween = 64
/** So many objects are passed by before a walk may pause. */
const passedBetweenPauses = 32
/** Past states made lately: the pages of one list read the same one again and again. */
const maxRecent = 4

/**
 * A tree of the cache's own, for stores that do not show their states. A past state is a version of it that was kept, and the events that
 * the ring has from there on.
 */
export class OwnState<T extends KubeObject> implements CacheState<T> {
  readonly #tree: OrderedTree<StoredObject<T>>
  readonly #past = new SnapshotStore<TreeSnapshot<StoredObject<T>>>()
  readonly #recent: Snapshot<TreeSnapshot<StoredObject<T>>>[] = []
  #changes = 0

  /** `objects` are in key order. */
  constructor(objects: readonly StoredObject<T>[], revision: Revision) {
    this.#tree = OrderedTree.fromSorted(objects)
    this.#past.add(revision, this.#tree.snapshot())
  }

  static async of<T extends KubeObject>(list: ObjectList<T>): Promise<OwnState<T>> {
    const objects: StoredObject<T>[] = []
    const slice = new TimeSlice()
    for (const object of list.items) {
      objects.push(object)
      const pause = slice.pauseIfOver()
      if (pause) await pause
    }
    return new OwnState(objects, list.revision)
  }

  get newest(): ObjectSnapshot<T> {
    return snapshotOf(this.#tree.snapshot())
  }

  at(revision: Revision, ring: EventRing<CacheEvent<T>>): ObjectSnapshot<T> | undefined {
    const recent = this.#recent.find((each) => each.revision === revision)
    if (recent !== undefined) return snapshotOf(recent.state)
    const kept = this.#past.get(revision)
    let position = kept && ring.positionAfter(kept.revision)
    if (kept === undefined || position === undefined) return undefined
    const tree = kept.state.edit()
    for (let event = ring.at(position); event !== undefined && event.revision <= revision; event = ring.at(++position)) {
      if (event.object === undefined) tree.delete(event.key)
      else tree.set(event.object)
    }
    const state = tree.snapshot()
    this.#recent.push({ revision, state })
    if (this.#recent.length > maxRecent) this.#recent.shift()
    return snapshotOf(state)
  }

  beginBatch(): void {}

  apply({ type, object }: ObjectChange<T>): StoredObject<T> | undefined {
    this.#changes++
    const previous = this.#tree.get(object.key)
    if (type === 'DELETED') this.#tree.delete(object.key)
    else this.#tree.set(object)
    return previous
  }

  endRevision(revision: Revision, oldest: Revision): void {
    if (this.#changes >= changesBetween) {
      this.#changes = 0
      this.#past.add(revision, this.#tree.snapshot())
    }
    this.#past.dropBefore(oldest)
    if (this.#recent.length > 0 && this.#recent[0]!.revision < oldest) this.#recent.shift()
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
  let passed = 0
  for (const object of objects) {
    if (matches === undefined || matches(object)) yield object
    else if (++passed % passedBetweenPauses === 0) yield undefined
  }
}
