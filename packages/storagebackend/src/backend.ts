import { isUint8Array } from 'node:util/types'

/** A version of the whole store, which grows with every commit. Drivers parse it into a safe integer. */
export type Revision = number

/** A range of keys in UTF-8 order. It includes `start` and excludes `end`. Without `end` it contains only the key `start`. */
export interface KeyRange {
  readonly start: string
  readonly end: string | undefined
}

/** One version of one key. It is immutable: nobody may write to `value`. */
export interface Entry {
  readonly key: string
  readonly value: Uint8Array
  readonly createRevision: Revision
  readonly modRevision: Revision
  /** The lease, or 0 for none. */
  readonly lease: LeaseId
  /** A slot in which the object layer keeps the opened `value`. Drivers never read it, and never copy it to another version. */
  view?: unknown
}

export interface ReadOptions {
  /** The revision to read. Throws `CompactedError` if it has been compacted, `FutureRevisionError` if it does not exist yet. Default: the newest. */
  readonly at?: Revision
  readonly signal?: AbortSignal
  /** Whether `signal` has aborted. Unlike `signal.aborted`, reading it does not create a lazy signal. If undefined, use `signal.aborted`. */
  readonly aborted?: boolean
}

export interface GetResult {
  /** The entry, or undefined if the key is absent. An absent key is not an error. */
  readonly entry: Entry | undefined
  /** The current revision of the store, even for a read of an older revision. */
  readonly revision: Revision
}

export interface ListOptions extends ReadOptions {
  /** The maximum number of entries. 0 or absent: no limit. */
  readonly limit?: number
  /** Whether to return only `count`, with no entries. */
  readonly countOnly?: boolean
}

export interface ListPage {
  readonly entries: readonly Entry[]
  readonly revision: Revision
  /** The number of keys in the range at the revision that was read, not limited by `limit`. */
  readonly count: number
  readonly more: boolean
}

export interface Reader {
  /** Reads one key. Linearizable, unless `at` is set. */
  get(key: string, options?: ReadOptions): Promise<GetResult>
  list(range: KeyRange, options?: ListOptions): Promise<ListPage>
}

/**
 * A condition of a transaction: the key has this modRevision, or is absent if it is 0. It also sees writes that are committed but not durable yet.
 */
export interface Compare {
  readonly key: string
  readonly modRevision: Revision
}

export type Operation =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly lease?: LeaseId }
  | { readonly type: 'delete'; readonly key: string }

export interface Transaction {
  readonly compare: readonly Compare[]
  /** The writes of the transaction, at most one per key. They get one revision. */
  readonly operations: readonly Operation[]
}

export type CommitResult =
  | { readonly committed: true; readonly revision: Revision }
  /** A lost race is a normal result, not an error. `current` has the present entry of each compared key, in the order of `compare`. */
  | { readonly committed: false; readonly revision: Revision; readonly current: readonly (Entry | undefined)[] }

export interface Writer {
  /**
   * Commits a transaction. Resolves when the outcome is durable. `committed: false` also waits until the writes that it saw are durable. The store
   * owns the values from then on. A transaction without effective operations is compared, but creates no revision.
   *
   * Throws `TypeError` for an invalid transaction (`requireTransaction`) before anything is written. Throws `ReadOnlyError` if the disk is full,
   * `StoppedError` if a flush failed or the store is closed, `UnavailableError` if etcd could not be reached and nothing was written, and
   * `UnknownOutcomeError` if the connection to etcd was lost during the write.
   */
  commit(transaction: Transaction): Promise<CommitResult>
}

export type Change =
  | { readonly type: 'put'; readonly entry: Entry; readonly previous: Entry | undefined }
  /** `revision` is the revision of the deletion. */
  | { readonly type: 'delete'; readonly key: string; readonly revision: Revision; readonly previous: Entry | undefined }

export type WatchMessage =
  /**
   * All changes of the range at one or more revisions, in order. A revision is never split over two messages. `state` is the state of the range after
   * the changes. It keeps no entries of other ranges in memory.
   */
  | { readonly type: 'changes'; readonly changes: readonly Change[]; readonly revision: Revision; readonly state?: BackendSnapshot }
  /** The watch has delivered every change up to `revision`. Progress is never ahead of changes. */
  | { readonly type: 'progress'; readonly revision: Revision }

export interface WatchOptions {
  readonly signal: AbortSignal
  /** Whether messages have a `state`. Needs a driver with `Snapshots`, which creates one for every message. */
  readonly states?: boolean
}

export interface Watcher {
  /**
   * Watches every durable change after the revision `after`. Changes come in order, none is lost or repeated. Ends without error when `signal`
   * aborts. Throws `CompactedError` if `after` has been compacted. Throws `SlowWatcherError` if the reader is too slow, so a watch never has a gap.
   * Sends progress while idle, and soon after `requestProgress`.
   */
  watch(range: KeyRange, after: Revision, options: WatchOptions): AsyncIterable<WatchMessage>
  /** Makes open watches send progress soon, with a revision that is at least the current one. */
  requestProgress(): Promise<void>
}

/** The id of a lease, or 0 for none. */
export type LeaseId = number

export interface Lessor {
  /** Creates a lease. When it expires, its keys are deleted as one ordinary revision. Leases survive a restart. */
  grantLease(ttlSeconds: number): Promise<LeaseId>
}

/** A driver, which stores keys and bytes. The suite in `./testing` tests its contract. */
export interface Backend extends Reader, Writer, Watcher, Lessor, AsyncDisposable {
  /**
   * Rejects with the reason if the store cannot serve reads. A store that only refuses writes (`ReadOnlyError`) is healthy, like etcd without space.
   */
  checkHealth(): Promise<void>
}

// Optional interfaces of a driver. A `has…` function tests for each of them.

/** An immutable view of the store at one revision. Taking one is O(1), and reads never wait. It keeps its entries in memory. */
export interface BackendSnapshot {
  readonly revision: Revision
  get(key: string): Entry | undefined
  /** Iterates over the entries of the range in key order. */
  scan(range: KeyRange): IterableIterator<Entry>
  count(range: KeyRange): number
  /** Returns the entries under the prefix as a snapshot, which keeps no other entries in memory. */
  within(prefix: string): BackendSnapshot
}

export interface Snapshots {
  /** Returns the newest durable state. This costs nothing. */
  snapshot(): BackendSnapshot
  /** Returns a past state, or undefined if it has been dropped. */
  snapshotAt(revision: Revision): BackendSnapshot | undefined
}

export interface Compaction {
  /** Drops the history before `revision`. Reads and watches from an older revision then fail. */
  compact(revision: Revision): Promise<void>
  compactedRevision(): Revision
}

export interface SizeStatistics {
  /** Returns the size in bytes on disk, or in memory for a memory store. */
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
 * Throws a `TypeError` that names the invalid member of a transaction. Drivers call it before they write anything. JavaScript callers have no type
 * checks, and a string instead of bytes would be stored as something else.
 */
export function requireTransaction(transaction: Transaction): void {
  if (typeof transaction !== 'object' || transaction === null)
    throw invalidMember('the transaction', '{ compare, operations }', transaction)
  const { compare, operations } = transaction
  if (!Array.isArray(compare)) throw invalidMember('compare', 'an array of { key, modRevision }, empty to compare nothing', compare)
  if (!Array.isArray(operations)) throw invalidMember('operations', 'an array of puts and deletes', operations)
  for (let i = 0; i < compare.length; i++) {
    const { key, modRevision } = (compare[i] ?? {}) as Partial<Transaction['compare'][number]>
    if (typeof key !== 'string') throw invalidMember(`compare[${i}].key`, 'a string', key)
    if (!Number.isSafeInteger(modRevision)) throw invalidMember(`compare[${i}].modRevision`, 'an integer, 0 for an absent key', modRevision)
  }
  for (let i = 0; i < operations.length; i++) {
    const { type, key, value, lease } = (operations[i] ?? {}) as { type?: unknown; key?: unknown; value?: unknown; lease?: unknown }
    if (type !== 'put' && type !== 'delete') throw invalidMember(`operations[${i}].type`, '"put" or "delete"', type)
    if (typeof key !== 'string' || key === '') throw invalidMember(`operations[${i}].key`, 'a string that is not empty', key)
    if (type === 'delete') continue
    if (!isUint8Array(value)) throw invalidMember(`operations[${i}].value`, 'a Uint8Array (a Buffer is one)', value)
    if (lease !== undefined && !Number.isSafeInteger(lease)) throw invalidMember(`operations[${i}].lease`, 'a lease from grantLease', lease)
  }
}

function invalidMember(member: string, allowed: string, value: unknown): TypeError {
  return new TypeError(`${member} must be ${allowed}, not ${describe(value)}`)
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string (${JSON.stringify(value.slice(0, 40))})`
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'an array' : `a ${value.constructor?.name ?? 'object'}`
}
