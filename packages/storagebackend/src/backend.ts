import { isUint8Array } from 'node:util/types'

/** A point in the store's history; grows with every commit. A safe integer, parsed once, at the driver's edge. */
export type Revision = number

/** Half-open, in UTF-8 order: includes `start`, excludes `end`. Without `end` it is the one key `start`. */
export interface KeyRange {
  readonly start: string
  readonly end: string | undefined
}

/** One version of one key. Immutable: nobody may write to `value`. */
export interface Entry {
  readonly key: string
  readonly value: Uint8Array
  readonly createRevision: Revision
  readonly modRevision: Revision
  /** 0 is no lease. */
  readonly lease: LeaseId
  /** A slot for the layer above, which keeps the opened `value` here. A driver never reads it and never copies it to another version. */
  view?: unknown
}

export interface ReadOptions {
  /** Reads at this revision. Throws `CompactedError` if it is no longer kept, `FutureRevisionError` if it does not exist yet. */
  readonly at?: Revision
  readonly signal?: AbortSignal
  /** True if `signal` has aborted. Reading it does not create a lazy `signal`. If undefined, use `signal.aborted`. */
  readonly aborted?: boolean
}

export interface GetResult {
  /** Undefined if the key is absent, which is no error. */
  readonly entry: Entry | undefined
  /** The store's current revision, also for a read `at` another one. */
  readonly revision: Revision
}

export interface ListOptions extends ReadOptions {
  /** The most entries to return; 0 or absent is all. */
  readonly limit?: number
  /** Return only `count`: `entries` is empty. */
  readonly countOnly?: boolean
}

export interface ListPage {
  readonly entries: readonly Entry[]
  readonly revision: Revision
  /** The number of keys in the range at the revision read, also beyond `limit`. */
  readonly count: number
  readonly more: boolean
}

export interface Reader {
  /** Linearizable unless `at` is given. */
  get(key: string, options?: ReadOptions): Promise<GetResult>
  list(range: KeyRange, options?: ListOptions): Promise<ListPage>
}

/** Requires the key to be at this modRevision; 0 requires it to be absent. Compares see writes that are committed but not durable yet. */
export interface Compare {
  readonly key: string
  readonly modRevision: Revision
}

export type Operation =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly lease?: LeaseId }
  | { readonly type: 'delete'; readonly key: string }

export interface Transaction {
  readonly compare: readonly Compare[]
  /** At most one operation per key. All of them are one revision. */
  readonly operations: readonly Operation[]
}

export type CommitResult =
  | { readonly committed: true; readonly revision: Revision }
  /** A lost race is normal, so it is a value. `current` has the present entry of each compared key, in the order of `compare`. */
  | { readonly committed: false; readonly revision: Revision; readonly current: readonly (Entry | undefined)[] }

export interface Writer {
  /**
   * Resolves when the outcome is durable; `committed: false` also waits for the writes that it saw. The store owns the values from then on. A
   * transaction without effective operations still compares, and makes no revision.
   *
   * Throws `TypeError` for an invalid transaction (`requireTransaction`) before anything is written, `ReadOnlyError` (disk full), `StoppedError` (a
   * flush failed, or the store is closed), `UnavailableError` (etcd was not reached, nothing is written), `UnknownOutcomeError` (the connection to
   * etcd was lost in between).
   */
  commit(transaction: Transaction): Promise<CommitResult>
}

export type Change =
  | { readonly type: 'put'; readonly entry: Entry; readonly previous: Entry | undefined }
  /** `revision` is that of the deletion. */
  | { readonly type: 'delete'; readonly key: string; readonly revision: Revision; readonly previous: Entry | undefined }

export type WatchMessage =
  /**
   * All changes of the range at one or more whole revisions, in order; a revision is never split over two messages. `state` is the state of the range
   * after them, and keeps nothing of other ranges alive.
   */
  | { readonly type: 'changes'; readonly changes: readonly Change[]; readonly revision: Revision; readonly state?: BackendSnapshot }
  /** The watch has delivered every change up to `revision`. Takes the same path as changes, never ahead of them. */
  | { readonly type: 'progress'; readonly revision: Revision }

export interface WatchOptions {
  readonly signal: AbortSignal
  /** Messages have a `state`, from a driver with `Snapshots`. It makes one for every message. */
  readonly states?: boolean
}

export interface Watcher {
  /**
   * Every durable change after the revision `after`: in order, none lost, none twice. Ends without error when `signal` aborts. Throws
   * `CompactedError` if `after` is older than the kept history. A watch whose reader falls too far behind ends with `SlowWatcherError`, and never
   * has a gap. Progress comes while idle, and soon after `requestProgress`.
   */
  watch(range: KeyRange, after: Revision, options: WatchOptions): AsyncIterable<WatchMessage>
  /** Makes open watches send progress soon, with a revision at least as new as the present one. */
  requestProgress(): Promise<void>
}

/** 0 is no lease. */
export type LeaseId = number

export interface Lessor {
  /** When the lease expires, its keys are deleted, as an ordinary revision. Durable: the expiry survives a restart. */
  grantLease(ttlSeconds: number): Promise<LeaseId>
}

/** A driver: keys and bytes. The suite in `./testing` defines it. */
export interface Backend extends Reader, Writer, Watcher, Lessor, AsyncDisposable {
  /** Throws the reason if the store cannot serve reads. A store that only refuses writes (`ReadOnlyError`) is healthy, as etcd without space is. */
  checkHealth(): Promise<void>
}

// Optional interfaces of a driver. `has…` tests for each.

/** An immutable view of the store at one revision. O(1) to take; reads never wait. It holds memory while it is referenced. */
export interface BackendSnapshot {
  readonly revision: Revision
  get(key: string): Entry | undefined
  /** In key order. */
  scan(range: KeyRange): IterableIterator<Entry>
  count(range: KeyRange): number
  /** The part under the prefix. Keeping it keeps nothing else of the store alive. */
  within(prefix: string): BackendSnapshot
}

export interface Snapshots {
  /** The newest durable state. Free. */
  snapshot(): BackendSnapshot
  /** A past state; undefined if it is no longer kept. */
  snapshotAt(revision: Revision): BackendSnapshot | undefined
}

export interface Compaction {
  /** Drops history before `revision`: reads and watches from before it fail from then on. */
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

/**
 * Throws a `TypeError` that names the invalid member of a transaction. Drivers call it first, so nothing is written then. Callers in JavaScript have
 * no types, and a string in place of bytes would be stored as something else.
 */
export function requireTransaction(transaction: Transaction): void {
  if (typeof transaction !== 'object' || transaction === null) throw wrong('the transaction', '{ compare, operations }', transaction)
  const { compare, operations } = transaction
  if (!Array.isArray(compare)) throw wrong('compare', 'an array of { key, modRevision }, empty to compare nothing', compare)
  if (!Array.isArray(operations)) throw wrong('operations', 'an array of puts and deletes', operations)
  for (let i = 0; i < compare.length; i++) {
    const { key, modRevision } = (compare[i] ?? {}) as Partial<Transaction['compare'][number]>
    if (typeof key !== 'string') throw wrong(`compare[${i}].key`, 'a string', key)
    if (!Number.isSafeInteger(modRevision)) throw wrong(`compare[${i}].modRevision`, 'an integer, 0 for an absent key', modRevision)
  }
  for (let i = 0; i < operations.length; i++) {
    const { type, key, value, lease } = (operations[i] ?? {}) as { type?: unknown; key?: unknown; value?: unknown; lease?: unknown }
    if (type !== 'put' && type !== 'delete') throw wrong(`operations[${i}].type`, '"put" or "delete"', type)
    if (typeof key !== 'string' || key === '') throw wrong(`operations[${i}].key`, 'a string that is not empty', key)
    if (type === 'delete') continue
    if (!isUint8Array(value)) throw wrong(`operations[${i}].value`, 'a Uint8Array (a Buffer is one)', value)
    if (lease !== undefined && !Number.isSafeInteger(lease)) throw wrong(`operations[${i}].lease`, 'a lease that grantLease gave', lease)
  }
}

function wrong(place: string, allowed: string, value: unknown): TypeError {
  return new TypeError(`${place} must be ${allowed}, not ${describe(value)}`)
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string (${JSON.stringify(value.slice(0, 40))})`
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'an array' : `a ${value.constructor?.name ?? 'object'}`
}
