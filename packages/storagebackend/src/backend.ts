/** A point in the store's history; grows with every commit. A safe integer, parsed once, at the driver's edge. */
export type Revision = number

/** Half-open and in byte order of UTF-8 keys: `start` is in, `end` is out. `end` undefined means the one key `start`. */
export interface KeyRange {
  readonly start: string
  readonly end: string | undefined
}

/** One version of one key. Immutable; `value` must not be written to by anyone. */
export interface Entry {
  readonly key: string
  readonly value: Uint8Array
  readonly createRevision: Revision
  readonly modRevision: Revision
  /** 0 when there is none. */
  readonly lease: LeaseId
  /** A slot for the reading layer to keep its opened form of `value`; a driver never looks at it and never copies it to another version. */
  view?: unknown
}

export interface ReadOptions {
  /** Read at this revision. Throws `CompactedError` when it is gone, `FutureRevisionError` when it is not there yet. */
  readonly at?: Revision
  readonly signal?: AbortSignal
  /** Whether `signal` has aborted. A reader that never waits asks this first: the signal may be one that is made when it is asked for. Absent: the signal says. */
  readonly aborted?: boolean
}

export interface GetResult {
  /** Absence is a value, not an error. */
  readonly entry: Entry | undefined
  /** The store's revision when it answered; for a read `at`, still the current one. */
  readonly revision: Revision
}

export interface ListOptions extends ReadOptions {
  /** At most this many entries; 0 or absent means all. */
  readonly limit?: number
  /** Only `count` is wanted: `entries` is empty. */
  readonly countOnly?: boolean
}

export interface ListPage {
  readonly entries: readonly Entry[]
  readonly revision: Revision
  /** Keys in the range at the revision read, beyond `limit` too. */
  readonly count: number
  readonly more: boolean
}

export interface Reader {
  /** Linearizable unless `at` is given. */
  get(key: string, options?: ReadOptions): Promise<GetResult>
  list(range: KeyRange, options?: ListOptions): Promise<ListPage>
}

/** The key's modRevision must be this; 0 means it must be absent. Compares see writes that are committed but not yet durable. */
export interface Compare {
  readonly key: string
  readonly modRevision: Revision
}

export type Operation =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly lease?: LeaseId }
  | { readonly type: 'delete'; readonly key: string }

export interface Transaction {
  readonly compare: readonly Compare[]
  /** At most one operation per key. All of them become one revision. */
  readonly operations: readonly Operation[]
}

export type CommitResult =
  | { readonly committed: true; readonly revision: Revision }
  /** Lost a race: normal, so a value. `current` has the present entry of each compared key, in the order of `compare`. */
  | { readonly committed: false; readonly revision: Revision; readonly current: readonly (Entry | undefined)[] }

export interface Writer {
  /**
   * Resolves only when the outcome is durable (`committed: false` too waits for the writes that it saw).
   * Ownership of the values passes to the store. A transaction that deletes nothing and puts nothing still compares, without a new revision.
   * Throws `TypeError` when the transaction is not one (`requireTransaction`), before anything is written; `ReadOnlyError` (disk full), `StoppedError` (a flush failed, or closed), `UnavailableError` (etcd: not
   * reached, nothing written), `UnknownOutcomeError` (etcd: connection lost in between).
   */
  commit(transaction: Transaction): Promise<CommitResult>
}

export type Change =
  | { readonly type: 'put'; readonly entry: Entry; readonly previous: Entry | undefined }
  /** `entry` is absent; `revision` is that of the delete. */
  | { readonly type: 'delete'; readonly key: string; readonly revision: Revision; readonly previous: Entry | undefined }

export type WatchMessage =
  /**
   * Every change of the range at one or more whole revisions, in order; a revision is never split over two messages. `state` is what the
   * range holds after them, and keeps nothing of other ranges alive.
   */
  | { readonly type: 'changes'; readonly changes: readonly Change[]; readonly revision: Revision; readonly state?: BackendSnapshot }
  /** Everything up to `revision` has been delivered on this watch. Travels on the same path as changes, never ahead of them. */
  | { readonly type: 'progress'; readonly revision: Revision }

export interface WatchOptions {
  readonly signal: AbortSignal
  /** Changes come with their `state`, from a driver with `Snapshots`. It has to make one for every message. */
  readonly states?: boolean
}

export interface Watcher {
  /**
   * Every change with a revision greater than `after`, none lost, none twice, in order; only durable ones.
   * Ends without error when `signal` aborts. Throws `CompactedError` when `after` is older than what is kept.
   * A reader that falls too far behind is ended with `SlowWatcherError`, never served with a gap.
   * Progress comes when idle and soon after `requestProgress`.
   */
  watch(range: KeyRange, after: Revision, options: WatchOptions): AsyncIterable<WatchMessage>
  /** Asks that open watches get a progress message with a revision at least as new as now. */
  requestProgress(): Promise<void>
}

/** 0 is no lease. */
export type LeaseId = number

export interface Lessor {
  /** Keys put under the lease are deleted (as an ordinary revision) when it expires. Durable: expiry survives a restart. */
  grantLease(ttlSeconds: number): Promise<LeaseId>
}

/** The bytes-level contract that every driver fulfils. See `./testing` for its definition as a suite. */
export interface Backend extends Reader, Writer, Watcher, Lessor, AsyncDisposable {
  /** Throws with the reason when the store cannot serve reads. One that only refuses writes (`ReadOnlyError`) is healthy, as etcd is without space. */
  checkHealth(): Promise<void>
}

// Optional powers. A driver that has one says so by implementing it; ask with `has…`.

/** An immutable view of the whole store at one revision. O(1) to take; reads never wait. Holds memory while referenced. */
export interface BackendSnapshot {
  readonly revision: Revision
  get(key: string): Entry | undefined
  /** In key order. */
  scan(range: KeyRange): IterableIterator<Entry>
  count(range: KeyRange): number
  /** Only what has the prefix. Holding that keeps nothing else of the store alive. */
  within(prefix: string): BackendSnapshot
}

export interface Snapshots {
  /** The newest durable state, at no cost. */
  snapshot(): BackendSnapshot
  /** A past state; undefined when it is no longer kept. */
  snapshotAt(revision: Revision): BackendSnapshot | undefined
}

export interface Compaction {
  /** Drops history older than `revision`; reads and watches from before it fail from then on. */
  compact(revision: Revision): Promise<void>
  compactedRevision(): Revision
}

export interface SizeStatistics {
  /** Bytes on disk (or in memory, for a memory store). */
  size(): Promise<number>
}

export function hasSnapshots(backend: Backend): backend is Backend & Snapshots {
  return 'snapshot' in backend && 'snapshotAt' in backend
}
export function hasCompaction(backend: Backend): backend is Backend & Compaction {
  return 'compact' in backend
}
export function hasSizeStatistics(backend: Backend): backend is Backend & SizeStatistics {
  return 'size' in backend
}
