import type { Clock, KubeObject } from '@keelson/apimachinery'
import type {
  ObjectEvent,
  ObjectEvents,
  ObjectList,
  ObjectSnapshot,
  ObjectSnapshots,
  Revision,
  StoredObject,
} from '@keelson/storagebackend'
import { CacheEvent } from './cache-event.ts'
import { TreeState, StoreState } from './cache-state.ts'
import type { CacheState } from './cache-state.ts'
import type { Dispatcher } from './dispatcher.ts'
import { EventRing } from './event-ring.ts'
import type { EventRingOptions } from './event-ring.ts'
import type { Freshness } from './freshness.ts'
import type { Indexes } from './indexes.ts'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'

export interface WatchCacheOptions<T extends KubeObject> {
  readonly clock: Clock
  readonly freshness: Freshness
  readonly dispatcher: Dispatcher<T>
  /** Indexes of the newest state. */
  readonly indexes?: Indexes<T> | undefined
  readonly ring?: EventRingOptions | undefined
  /** The snapshots of the store. With them, the cache keeps no copy of the objects. */
  readonly store?: ObjectSnapshots<T> | undefined
  readonly metrics?: ResourceCacheMetrics | undefined
}

/** The number of newest events whose `ObjectEvent`s are shared by all watchers. Slow watchers use them too. */
const sharedEvents = 128

/**
 * The contents of the cache: the newest state, the latest events, and the past states since the oldest of these events. A batch is applied
 * without an `await` between updating the state, the ring, the watchers and the revision. So no reader can see a state whose events have
 * not been dispatched.
 */
export class WatchCache<T extends KubeObject = KubeObject> {
  readonly ring: EventRing<CacheEvent<T>>
  readonly #clock: Clock
  readonly #freshness: Freshness
  readonly #dispatcher: Dispatcher<T>
  readonly #indexes: Indexes<T> | undefined
  readonly #store: ObjectSnapshots<T> | undefined
  readonly #metrics: ResourceCacheMetrics | undefined
  #state: CacheState<T> = new TreeState<T>([], 0)
  /** The revision of the last change that is in the newest state. */
  #changed: Revision = 0

  constructor(options: WatchCacheOptions<T>) {
    this.#clock = options.clock
    this.#freshness = options.freshness
    this.#dispatcher = options.dispatcher
    this.#indexes = options.indexes
    this.#store = options.store
    const metrics = (this.#metrics = options.metrics)
    this.ring = new EventRing({ ...options.ring, onResize: metrics && ((from, to) => metrics.recordCapacity(from, to)) })
    metrics?.recordCapacity(this.ring.capacity, this.ring.capacity)
  }

  get state(): ObjectSnapshot<T> {
    return this.#state.newest
  }
  get revision(): Revision {
    return this.#freshness.revision
  }

  /** Returns the newest version of one object, or undefined if the object does not exist. */
  get(key: string): StoredObject<T> | undefined {
    return this.state.get(key)
  }

  /** Returns the state at `revision`. Returns undefined if the state was dropped or does not exist yet. */
  stateAt(revision: Revision): ObjectSnapshot<T> | undefined {
    if (revision > this.revision) return undefined
    return revision >= this.#changed ? this.state : this.#state.getStateAt(revision, this.ring)
  }

  /**
   * Replaces the contents with a list of the store. The history of the cache then starts at the revision of the list. The list is read in
   * slices, and the old contents stay until it has been read. Throws if the list is older than the old contents.
   */
  async replace(list: ObjectList<T>): Promise<void> {
    if (list.revision < this.revision) throw new Error(`the store listed revision ${list.revision}, which is older than ${this.revision}`)
    this.#state = this.#store === undefined ? await TreeState.of(list) : new StoreState(this.#store, list)
    this.#indexes?.reset()
    this.ring.reset(list.revision)
    this.#changed = list.revision
    this.#freshness.advance(list.revision)
  }

  /**
   * Applies a batch of the watch on the store. The batch must contain complete revisions in order. Revisions that were applied before are
   * skipped.
   */
  apply(batch: ObjectEvents<T>): void {
    if (batch.some((event) => event.type !== 'BOOKMARK' && event.object.revision > this.revision)) this.#state.beginBatch(batch)
    let group: ObjectEvent<T>[] = []
    let revision: Revision = 0
    for (const event of batch) {
      const eventRevision = event.type === 'BOOKMARK' ? event.revision : event.object.revision
      if (eventRevision !== revision) {
        this.#applyRevision(group, revision)
        group = []
        revision = eventRevision
      }
      group.push(event)
    }
    this.#applyRevision(group, revision)
    this.#dispatcher.flush()
    this.#metrics?.setRevision(this.revision)
  }

  #applyRevision(group: readonly ObjectEvent<T>[], revision: Revision): void {
    if (group.length === 0 || revision <= this.revision) return
    const position = this.ring.end
    const events: CacheEvent<T>[] = []
    const time = this.#clock.now()
    for (const change of group) {
      if (change.type === 'BOOKMARK') continue
      const { key } = change.object
      const previous = this.#state.apply(change)
      const object = change.type === 'DELETED' ? undefined : change.object
      if (object === undefined && previous === undefined) continue
      const event = new CacheEvent<T>({ key, revision, object, previous, time })
      this.#indexes?.apply(event)
      this.ring.add(event)
      this.ring.at(this.ring.end - sharedEvents)?.forget()
      events.push(event)
    }
    if (events.length > 0) {
      this.#changed = revision
      this.#state.endRevision(revision, this.ring.base)
      this.#dispatcher.dispatch(events, position)
      this.#metrics?.countReceived(events.length)
      this.#metrics?.countDispatched(events.length)
    }
    this.#freshness.advance(revision)
  }
}
