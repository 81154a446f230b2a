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
import type { CacheState } from './cache-state.ts'
import type { Dispatcher } from './dispatcher.ts'
import { EventRing } from './event-ring.ts'
import type { EventRingOptions } from './event-ring.ts'
import type { Freshness } from './freshness.ts'
import type { Indexes } from './indexes.ts'
import { TreeState } from './tree-state.ts'
import { StoreState } from './store-state.ts'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'

export interface WatchCacheOptions<T extends KubeObject> {
  readonly clock: Clock
  readonly freshness: Freshness
  readonly dispatcher: Dispatcher<T>
  /** Of the newest state. */
  readonly indexes?: Indexes<T> | undefined
  readonly ring?: EventRingOptions | undefined
  /** Who shows its states: the cache then keeps none of its own. */
  readonly store?: ObjectSnapshots<T> | undefined
  readonly metrics?: ResourceCacheMetrics | undefined
}

/** Of how many of the newest events all watchers, also those that come to them late, get the same event objects. */
const sharedEvents = 128

/**
 * What the cache holds: the newest state, the latest events, and states as far back as those reach. A batch goes through in one step,
 * without an await between any two of: state, ring, watchers, "the cache has it". So no reader finds a state that is ahead of the
 * events handed out.
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
  /** The revision that made the newest state. */
  #changed: Revision = 0

  constructor(options: WatchCacheOptions<T>) {
    this.#clock = options.clock
    this.#freshness = options.freshness
    this.#dispatcher = options.dispatcher
    this.#indexes = options.indexes
    this.#store = options.store
    const metrics = (this.#metrics = options.metrics)
    this.ring = new EventRing({ ...options.ring, onResize: metrics && ((from, to) => metrics.capacity(from, to)) })
    metrics?.capacity(this.ring.capacity, this.ring.capacity)
  }

  get state(): ObjectSnapshot<T> {
    return this.#state.newest
  }
  get revision(): Revision {
    return this.#freshness.revision
  }

  /** The newest version of one object. */
  get(key: string): StoredObject<T> | undefined {
    return this.state.get(key)
  }

  /** The state as it was at `revision`; undefined when that is no longer, or not yet, known. */
  stateAt(revision: Revision): ObjectSnapshot<T> | undefined {
    if (revision > this.revision) return undefined
    return revision >= this.#changed ? this.state : this.#state.at(revision, this.ring)
  }

  /**
   * Begins anew with what the store listed; history begins there too. Until that is read, in slices, everything is as it was. A state
   * from before what was already shown is refused.
   */
  async replace(list: ObjectList<T>): Promise<void> {
    if (list.revision < this.revision) throw new Error(`the store listed revision ${list.revision}, after it was at ${this.revision}`)
    this.#state = this.#store === undefined ? await TreeState.of(list) : new StoreState(this.#store, list)
    this.#indexes?.reset()
    this.ring.reset(list.revision)
    this.#changed = list.revision
    this.#freshness.advance(list.revision)
  }

  /** A batch of the store's watch: whole revisions, in order. What is already known is passed over. */
  apply(batch: ObjectEvents<T>): void {
    if (batch.some((event) => event.type !== 'BOOKMARK' && event.object.revision > this.revision)) this.#state.beginBatch(batch)
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
    this.#metrics?.revision(this.revision)
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
      this.#metrics?.received(events.length)
      this.#metrics?.dispatched(events.length)
    }
    this.#freshness.advance(revision)
  }
}
