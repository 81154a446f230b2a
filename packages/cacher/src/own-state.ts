import type { KubeObject } from '@keelson/apimachinery'
import { OrderedTree } from '@keelson/storagebackend'
import type { ObjectList, ObjectSnapshot, Revision, StoredObject, TreeSnapshot } from '@keelson/storagebackend'
import type { CacheState, ObjectChange } from './cache-state.ts'
import { SnapshotStore } from './snapshot-store.ts'
import { walkInSlices } from './walk-in-slices.ts'

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
    await walkInSlices(list.items, (object) => void objects.push(object))
    return new OwnState(objects, list.revision)
  }

  get newest(): ObjectSnapshot<T> {
    return this.#tree.snapshot()
  }

  at(revision: Revision): ObjectSnapshot<T> | undefined {
    return this.#past.get(revision)
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
