import type { Clock, KubeObject } from '@keelson/apimachinery'
import { OrderedTree } from '@keelson/storagebackend'
import type { ObjectEvent, ObjectSnapshot, ObjectSnapshots, Revision, StoredObject, TreeSnapshot } from '@keelson/storagebackend'
import { CacheEvent } from './cache-event.ts'
import type { Dispatcher } from './dispatcher.ts'
import { EventRing } from './event-ring.ts'
import type { EventRingOptions } from './event-ring.ts'
import type { Freshness } from './freshness.ts'
import { SnapshotStore } from './snapshot-store.ts'

export interface WatchCacheOptions<T extends KubeObject> {
  readonly clock: Clock
  readonly freshness: Freshness
  readonly dispatcher: Dispatcher<T>
  readonly ring?: EventRingOptions | undefined
  /** Who keeps past states anyway: the cache then keeps none of its own. */
  readonly past?: ObjectSnapshots<T> | undefined
}

/**
 * What the cache holds: the newest state, the latest events, and, where the store cannot show its past states, a state per revision as
 * far back as those reach. One revision goes through in one step, without an await between any two of: state, ring, snapshot, watchers,
 * "the cache has it".
 */
export class WatchCache<T extends KubeObject = KubeObject> {
  readonly ring: EventRing<CacheEvent<T>>
  readonly #clock: Clock
  readonly #freshness: Freshness
  readonly #dispatcher: Dispatcher<T>
  readonly #past: ObjectSnapshots<T> | undefined
  readonly #snapshots = new SnapshotStore<TreeSnapshot<StoredObject<T>>>()
  #tree = new OrderedTree<StoredObject<T>>()
  /** The revision that made the newest state. */
  #changed: Revision = 0

  constructor(options: WatchCacheOptions<T>) {
    this.#clock = options.clock
    this.#freshness = options.freshness
    this.#dispatcher = options.dispatcher
    this.#past = options.past
    this.ring = new EventRing(options.ring)
  }

  get state(): TreeSnapshot<StoredObject<T>> {
    return this.#tree.snapshot()
  }
  get revision(): Revision {
    return this.#freshness.revision
  }

  /** The newest version of one object. */
  get(key: string): StoredObject<T> | undefined {
    return this.#tree.get(key)
  }

  /** The state as it was at `revision`; undefined when that is no longer, or not yet, known. Never ahead of the events handed out. */
  stateAt(revision: Revision): ObjectSnapshot<T> | undefined {
    if (revision > this.revision) return undefined
    if (revision >= this.#changed) return this.state
    return this.#past === undefined ? this.#snapshots.get(revision) : this.#past.snapshotAt(revision)
  }

  /** Begins anew with a state from the store; history begins there too. `objects` are in key order. */
  replace(objects: readonly StoredObject<T>[], revision: Revision): void {
    this.#tree = OrderedTree.fromSorted(objects)
    this.ring.reset(revision)
    this.#snapshots.clear()
    this.#keepState(revision)
    this.#freshness.advance(revision)
  }

  /** A batch of the store's watch: whole revisions, in order. What is already known is passed over. */
  apply(batch: readonly ObjectEvent<T>[]): void {
    let group: ObjectEvent<T>[] = []
    let revision: Revision = 0
    for (const event of batch) {
      const next = event.type === 'BOOKMARK' ? event.revision : event.object.revision
      if (next !== revision) {
        this.#applyRevision(group, revision)
        group = []
        revision = next
      }
      group.push(event)
    }
    this.#applyRevision(group, revision)
    this.#dispatcher.flush()
  }

  #keepState(revision: Revision): void {
    this.#changed = revision
    if (this.#past !== undefined) return
    this.#snapshots.add(revision, this.#tree.snapshot())
    this.#snapshots.dropBefore(this.ring.base)
  }

  #applyRevision(group: readonly ObjectEvent<T>[], revision: Revision): void {
    if (group.length === 0 || revision <= this.revision) return
    const position = this.ring.end
    const events: CacheEvent<T>[] = []
    const time = this.#clock.now()
    for (const change of group) {
      if (change.type === 'BOOKMARK') continue
      const { key } = change.object
      const previous = this.#tree.get(key)
      const object = change.type === 'DELETED' ? undefined : change.object
      if (object === undefined && previous === undefined) continue
      const event = new CacheEvent<T>({ key, revision, object, previous, time })
      if (object === undefined) this.#tree.delete(key)
      else this.#tree.set(object)
      this.ring.add(event)
      events.push(event)
    }
    if (events.length > 0) {
      this.#keepState(revision)
      this.#dispatcher.dispatch(events, position)
    }
    this.#freshness.advance(revision)
  }
}
