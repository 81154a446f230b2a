import { mapList } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { CompactedError, FutureRevisionError, StoppedError } from '@keelson/storagebackend'
import type {
  Backend,
  BackendSnapshot,
  CommitResult,
  Compaction,
  Entry,
  GetResult,
  KeyRange,
  LeaseId,
  ListOptions,
  ListPage,
  Operation,
  OrderedTree,
  QueueLimits,
  ReadOptions,
  Revision,
  SizeStatistics,
  Snapshots,
  Transaction,
  TreeSnapshot,
  WatchMessage,
  WatchOptions,
} from '@keelson/storagebackend'
import { CommitQueue } from './commit-queue.ts'
import type { PendingRevision } from './commit-queue.ts'
import type { Durability } from './durability.ts'
import { History, createSnapshot } from './history.ts'
import type { HistoryLimits } from './history.ts'
import { Leases } from './leases.ts'
import type { LeaseState } from './leases.ts'
import { WatchPublisher } from './watch-publisher.ts'

/** A store that can be copied in memory, in a time that depends only on the number of its keys with leases. */
export interface Forks {
  /** Opens an independent copy of the store. `clock` is the clock of the copy. Default: the clock of this store. */
  fork(options?: { readonly clock?: Clock }): EmbeddedBackend
  /** Returns the current contents. They can be restored, also into other stores. */
  image(): StoreImage
  /**
   * Replaces the contents by those of an image, as one revision that watches see like any other write. Keys that differ get this revision. Leases
   * that have ended are granted again until their original time, and keys of expired leases are not restored. Takes time for the differences
   * only.
   */
  restore(image: StoreImage): Promise<void>
}

/** The contents of a store at one revision. It does not change. */
export interface StoreImage {
  readonly tree: TreeSnapshot<Entry>
  readonly revision: Revision
  readonly bytes: number
  readonly leases: readonly LeaseState[]
}

export interface EmbeddedBackend extends Backend, Snapshots, Compaction, SizeStatistics, Forks {}

export interface EmbeddedStoreOptions {
  readonly clock: Clock
  readonly history: HistoryLimits
  readonly watchQueue: QueueLimits
  /** The interval between progress messages to idle watches, in milliseconds. */
  readonly progressInterval: number
}

/** The contents with which a store starts. */
export interface StoreOrigin {
  readonly revision: Revision
  readonly tree: OrderedTree<Entry>
  /**
   * The entries by key, for reads and compares of single keys, which are the most frequent requests. Undefined for a fork, because copying
   * the map would take time.
   */
  readonly index: Map<string, Entry> | undefined
  /** The total size of all keys and values, in bytes. */
  readonly bytes: number
  readonly leases: readonly LeaseState[]
}

const leaseRetry = 1000

/**
 * A store in memory with multiple versions of each key (MVCC). `durability` writes it to disk, and decides when a write becomes visible.
 */
export class EmbeddedStore implements EmbeddedBackend {
  readonly #options: EmbeddedStoreOptions
  readonly #durability: Durability | undefined
  readonly #tree: OrderedTree<Entry>
  readonly #index: Map<string, Entry> | undefined
  readonly #history: History
  readonly #publisher: WatchPublisher
  readonly #leases: Leases
  readonly #queue: CommitQueue
  #bytes: number
  #closed: StoppedError | undefined

  constructor(options: EmbeddedStoreOptions, origin: StoreOrigin, durability?: Durability) {
    this.#options = options
    this.#durability = durability
    this.#tree = origin.tree
    this.#index = origin.index
    this.#bytes = origin.bytes
    this.#history = new History(options.history, origin.revision, origin.tree)
    this.#publisher = new WatchPublisher({
      history: this.#history,
      getNewestState: () => this.#tree.snapshot(),
      clock: options.clock,
      limits: options.watchQueue,
      progressInterval: options.progressInterval,
    })
    this.#leases = new Leases(options.clock, (ids) => void this.#expire(ids))
    this.#queue = new CommitQueue(
      {
        getVisibleEntry: (key) => this.#find(key),
        getVisibleRevision: () => this.#history.current,
        apply: (pending) => this.#apply(pending),
        applyLease: (lease) => this.#leases.add(lease),
        endLease: (id) => this.#leases.remove(id),
        requireLease: (id) => this.#leases.require(id),
        stop: (error) => this.#publisher.stop(error),
      },
      durability,
      options.clock,
    )
    // Add the leases last, because a lease that has expired already is ended at once.
    for (const lease of origin.leases) this.#leases.add(lease.lease, lease.keys)
  }

  async get(key: string, options: ReadOptions = {}): Promise<GetResult> {
    this.#requireOpen(options)
    const { at } = options
    const entry = at === undefined ? this.#find(key) : this.#getState(at).get(key)
    return { entry, revision: this.#history.current }
  }

  async list(range: KeyRange, options: ListOptions = {}): Promise<ListPage> {
    this.#requireOpen(options)
    const { at, limit = 0, countOnly = false } = options
    const state = at === undefined ? this.#tree.snapshot() : this.#getState(at)
    const count = state.count(range)
    const revision = this.#history.current
    const entries: Entry[] = []
    if (countOnly) return { entries, revision, count, more: false }
    for (const entry of state.scan(range)) {
      entries.push(entry)
      if (entries.length === limit) break
    }
    return { entries, revision, count, more: entries.length < count }
  }

  commit(transaction: Transaction): Promise<CommitResult> {
    return this.#queue.commit(transaction)
  }

  watch(range: KeyRange, after: Revision, options: WatchOptions): AsyncIterable<WatchMessage> {
    return this.#publisher.watch(range, after, options)
  }

  async requestProgress(): Promise<void> {
    this.#requireOpen()
    this.#publisher.progress()
  }

  async grantLease(ttlSeconds: number): Promise<LeaseId> {
    const lease = this.#leases.create(this.#options.clock.now() + ttlSeconds * 1000)
    await this.#queue.grant(lease)
    return lease.id
  }

  takeSnapshot(): BackendSnapshot {
    this.#requireOpen()
    return createSnapshot(this.#history.current, this.#tree.snapshot())
  }

  findSnapshot(revision: Revision): BackendSnapshot | undefined {
    this.#requireOpen()
    if (revision === this.#history.current) return this.takeSnapshot()
    this.#history.trim(this.#options.clock.now())
    const state = this.#history.stateAt(revision)
    return state && createSnapshot(revision, state)
  }

  async compact(revision: Revision): Promise<void> {
    this.#requireOpen()
    if (revision > this.#history.current) throw new FutureRevisionError(revision, this.#history.current)
    if (revision < this.#history.compacted) throw new CompactedError(revision, this.#history.compacted)
    this.#history.compact(revision)
  }

  getCompactedRevision(): Revision {
    return this.#history.compacted
  }

  async measureSize(): Promise<number> {
    this.#requireOpen()
    return this.#durability ? this.#durability.size() : this.#bytes
  }

  async checkHealth(): Promise<void> {
    this.#requireOpen()
    if (this.#queue.failure) throw this.#queue.failure
    this.#durability?.checkHealth?.()
  }

  fork({ clock = this.#options.clock }: { readonly clock?: Clock } = {}): EmbeddedBackend {
    return openImage(this.image(), { ...this.#options, clock })
  }

  image(): StoreImage {
    this.#requireOpen()
    const leases = mapList(this.#leases.all(), ({ lease, keys }) => ({ lease, keys: [...keys] }))
    return { tree: this.#tree.snapshot(), revision: this.#history.current, bytes: this.#bytes, leases }
  }

  async restore({ tree, leases }: StoreImage): Promise<void> {
    this.#requireOpen()
    const now = this.#options.clock.now()
    /** Leases of this store by the id of the lease in the image. In an image of another store, the ids belong to other leases. */
    const localIds = new Map<LeaseId, LeaseId>([[0, 0]])
    for (const { lease } of leases) {
      if (lease.expiresAt <= now) continue
      const isKept = this.#leases.find(lease.id)?.expiresAt === lease.expiresAt
      const local = isKept ? lease : this.#leases.create(lease.expiresAt)
      if (!isKept) await this.#queue.grant(local)
      localIds.set(lease.id, local.id)
    }
    const operations: Operation[] = []
    for (const { before, after } of this.#tree.snapshot().changesTo(tree)) {
      const lease = after && localIds.get(after.lease)
      if (after !== undefined && lease !== undefined) {
        if (before?.value === after.value && before.lease === lease) continue
        operations.push({ type: 'put', key: after.key, value: after.value, ...(lease !== 0 && { lease }) })
      } else if (before !== undefined) operations.push({ type: 'delete', key: before.key })
    }
    await this.commit({ compare: [], operations })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = new StoppedError()
    this.#leases.close()
    await this.#queue.close(this.#closed)
    this.#publisher.stop(this.#closed)
    await this.#durability?.close()
  }

  #apply({ changes }: PendingRevision): void {
    for (const change of changes) {
      const { previous } = change
      if (previous) {
        this.#bytes -= measureEntry(previous)
        if (previous.lease) this.#leases.detach(previous.lease, previous.key)
      }
      if (change.type === 'put') {
        const { entry } = change
        this.#tree.set(entry)
        this.#index?.set(entry.key, entry)
        this.#bytes += measureEntry(entry)
        if (entry.lease) this.#leases.attach(entry.lease, entry.key)
      } else {
        this.#tree.delete(change.key)
        this.#index?.delete(change.key)
      }
    }
    this.#publisher.publish(this.#history.append(this.#options.clock.now(), changes))
  }

  async #expire(ids: readonly LeaseId[]): Promise<void> {
    try {
      await this.#queue.expire(
        ids,
        ids.flatMap((id) => [...this.#leases.keys(id)]),
      )
    } catch {
      // The leases could not be deleted, because the disk is full or the store has stopped. Keep them, and try again later.
      if (!this.#closed) this.#leases.retry(leaseRetry)
    }
  }

  #find(key: string): Entry | undefined {
    return this.#index ? this.#index.get(key) : this.#tree.get(key)
  }

  #getState(revision: Revision): TreeSnapshot<Entry> {
    if (revision > this.#history.current) throw new FutureRevisionError(revision, this.#history.current)
    this.#history.requireKept(revision)
    return revision === this.#history.current ? this.#tree.snapshot() : this.#history.stateAt(revision)!
  }

  #requireOpen(options?: ReadOptions): void {
    if (options?.aborted !== false) options?.signal?.throwIfAborted()
    if (this.#closed) throw this.#closed
  }
}

/** Opens a store in memory that starts with the contents of an image. */
export function openImage({ tree, revision, bytes, leases }: StoreImage, options: EmbeddedStoreOptions): EmbeddedBackend {
  return new EmbeddedStore(options, { revision, tree: tree.edit(), index: undefined, bytes, leases })
}

function measureEntry(entry: Entry): number {
  return entry.key.length + entry.value.length
}
