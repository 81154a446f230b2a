import type { KubeObject } from '@keelson/apimachinery'
import { matcher, OrderedTree, TimeSlices } from '@keelson/storagebackend'
import type { ObjectList, ObjectSnapshot, Revision, StoredObject, TreeSnapshot } from '@keelson/storagebackend'
import type { CacheState, ObjectChange } from './cache-state.ts'
import { SnapshotStore } from './snapshot-store.ts'

/** A tree of the cache's own, and a version of it for every revision: for stores that do not show their states. */
export class OwnState<T extends KubeObject> implements CacheState<T> {
  readonly #tree: OrderedTree<StoredObject<T>>
  readonly #past = new SnapshotStore<TreeSnapshot<StoredObject<T>>>()

  /** `objects` are in key order. */
  constructor(objects: readonly StoredObject<T>[], revision: Revision) {
    this.#tree = OrderedTree.fromSorted(objects)
    this.#past.add(revision, this.#tree.snapshot())
  }

  static async of<T extends KubeObject>(list: ObjectList<T>): Promise<OwnState<T>> {
    const objects: StoredObject<T>[] = []
    const slices = new TimeSlices()
    for (const object of list.items) {
      objects.push(object)
      const pause = slices.due()
      if (pause) await pause
    }
    return new OwnState(objects, list.revision)
  }

  get newest(): ObjectSnapshot<T> {
    return snapshotOf(this.#tree.snapshot())
  }

  at(revision: Revision): ObjectSnapshot<T> | undefined {
    const state = this.#past.get(revision)
    return state && snapshotOf(state)
  }

  beginBatch(): void {}

  apply({ type, object }: ObjectChange<T>): StoredObject<T> | undefined {
    const previous = this.#tree.get(object.key)
    if (type === 'DELETED') this.#tree.delete(object.key)
    else this.#tree.set(object)
    return previous
  }

  endRevision(revision: Revision, oldest: Revision): void {
    this.#past.add(revision, this.#tree.snapshot())
    this.#past.dropBefore(oldest)
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
  for (const object of objects) yield matches === undefined || matches(object) ? object : undefined
}
