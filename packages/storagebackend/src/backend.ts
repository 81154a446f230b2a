import { isUint8Array } from 'node:util/types'
import type { Span } from '@keelson/apimachinery'

/** The version of the whole store. It increases with every commit. Drivers parse it into a safe integer. */
export type Revision = number

/** A range of keys in UTF-8 order. `start` is included and `end` is excluded. Without `end` the range contains only the key `start`. */
export interface KeyRange {
  readonly start: string
  readonly end: string | undefined
}

/** One version of one key. An entry is immutable, and its `value` must not be changed. */
export interface Entry {
  readonly key: string
  readonly value: Uint8Array
  readonly createRevision: Revision
  readonly modRevision: Revision
  /** The lease that the key is attached to, or 0 for none. */
  readonly lease: LeaseId
  /**
   * A cache slot for the object layer, which stores the decoded `value` here. Drivers never read this member, and never copy it to another
   * version of the key.
   */
  view?: unknown
}

export interface ReadOptions {
  /**
   * The revision to read. Default: the newest. Throws `CompactedError` if the revision has been compacted, and `FutureRevisionError` if it
   * does not exist yet.
   */
  readonly at?: Revision
  readonly signal?: AbortSignal
  /**
   * Whether `signal` has aborted. Callers set it if `signal` is a getter that creates the signal lazily, because reading `aborted` then
   * creates no signal. If undefined, drivers use `signal.aborted`.
   */
  readonly aborted?: boolean
  /** Step of a recorded request that this read belongs to. */
  readonly span?: Span | undefined
}

export interface GetResult {
  /** The entry, or undefined if the key is absent, which is not an error. */
  readonly entry: Entry | undefined
  /** The current revision of the store, even if the read is at an older revision. */
  readonly revision: Revision
}

export interface ListOptions extends ReadOptions {
  /** The maximum number of entries to return. 0 or absent: unlimited. */
  readonly limit?: number
  /** Whether to return only `count` and no entries. */
  readonly countOnly?: boolean
}

export interface ListPage {
  readonly entries: readonly Entry[]
  readonly revision: Revision
  /** The number of keys in the range at the revision that was read. `limit` does not affect it. */
  readonly count: number
  readonly more: boolean
}

export interface Reader {
  /** Reads one key. The read is linearizable, unless `at` is set. */
  get(key: string, options?: ReadOptions): Promise<GetResult>
  list(range: KeyRange, options?: ListOptions): Promise<ListPage>
}

/**
 * A condition of a transaction. The key must have this modRevision, or be absent if the modRevision is 0. Writes that are committed but not
 * durable yet are included.
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
  /** The writes of the transaction, at most one for each key. All of them get the same revision. */
  readonly operations: readonly Operation[]
}

export type CommitResult =
  | { readonly committed: true; readonly revision: Revision }
  /**
   * The result if a condition failed, for example because a concurrent write came first. `current` has the present entry of each compared
   * key, in the order of `compare`.
   */
  | { readonly committed: false; readonly revision: Revision; readonly current: readonly (Entry | undefined)[] }

export interface CommitOptions {
  /** Step of a recorded request that this write belongs to. */
  readonly span?: Span | undefined
}

export interface Writer {
  /**
   * Commits a transaction. Resolves when the outcome is durable. For `committed: false`, that includes the writes that made a condition
   * fail. The store owns the values after the call, so the caller must not change them. A transaction that changes nothing creates no
   * revision, but its conditions are checked. Throws `TypeError` for an invalid transaction (`requireTransaction`) before anything is
   * written. Throws `ReadOnlyError` if the disk is full, and `StoppedError` if a flush failed or the store is closed. Throws
   * `UnavailableError` if etcd could not be reached and nothing was written, and `UnknownOutcomeError` if the connection to etcd was lost
   * during the write.
   */
  commit(transaction: Transaction, options?: CommitOptions): Promise<CommitResult>
}

export type Change =
  | { readonly type: 'put'; readonly entry: Entry; readonly previous: Entry | undefined }
  /** The deletion of a key. `revision` is the revision of the deletion. */
  | { readonly type: 'delete'; readonly key: string; readonly revision: Revision; readonly previous: Entry | undefined }

export type WatchMessage =
  /**
   * All changes in the range at one or more revisions, in revision order. The changes of one revision are always in one message. `state` is
   * the state of the range after the changes. It keeps only the range's entries in memory.
   */
  | { readonly type: 'changes'; readonly changes: readonly Change[]; readonly revision: Revision; readonly state?: BackendSnapshot }
  /** The watch has delivered every change up to `revision`. Changes come before the progress that includes them. */
  | { readonly type: 'progress'; readonly revision: Revision }

export interface WatchOptions {
  readonly signal: AbortSignal
  /**
   * Whether messages include the `state` after their changes. Only drivers with `Snapshots` support this option. They create a snapshot for
   * every message.
   */
  readonly states?: boolean
}

export interface Watcher {
  /**
   * Watches every durable change in the range after the revision `after`. Changes are sent in order, and none is lost or repeated. Progress
   * messages are sent while the watch is idle, and soon after `requestProgress`. Ends without error when `signal` aborts. Throws
   * `CompactedError` if `after` has been compacted. Throws `SlowWatcherError` if the reader is too slow, because changes must not be
   * skipped.
   */
  watch(range: KeyRange, after: Revision, options: WatchOptions): AsyncIterable<WatchMessage>
  /** Makes open watches send progress soon. The revision in the progress is at least the current revision. */
  requestProgress(): Promise<void>
}

/** The id of a lease, or 0 for none. */
export type LeaseId = number

export interface Lessor {
  /**
   * Creates a lease. When the lease expires, its keys are deleted in one revision, like any other write. Leases survive a restart of the
   * store.
   */
  grantLease(ttlSeconds: number): Promise<LeaseId>
}

/** A driver: it stores keys and bytes. The test suite in `./testing` checks this interface's rules. */
export interface Backend extends Reader, Writer, Watcher, Lessor, AsyncDisposable {
  /**
   * Rejects with the reason if the store cannot serve reads. A store that refuses only writes (`ReadOnlyError`) is healthy, like an etcd
   * without space.
   */
  checkHealth(): Promise<void>
}

// The following interfaces are optional for a driver. A `has…` function tests for each of them.

/**
 * An immutable view of the store at one revision. Creating a snapshot takes constant time, and reads return at once. A snapshot keeps its
 * entries in memory.
 */
export interface BackendSnapshot {
  readonly revision: Revision
  get(key: string): Entry | undefined
  /** Iterates over the entries of the range in key order. */
  scan(range: KeyRange): IterableIterator<Entry>
  count(range: KeyRange): number
  /** Returns a snapshot of the entries under the prefix. It keeps only these entries in memory. */
  restrictTo(prefix: string): BackendSnapshot
}

export interface Snapshots {
  /** Returns the newest durable state, in constant time. */
  takeSnapshot(): BackendSnapshot
  /** Returns the state at a past revision, or undefined if it is no longer in memory. */
  findSnapshot(revision: Revision): BackendSnapshot | undefined
}

export interface Compaction {
  /** Drops the history before `revision`. Reads and watches from an older revision then fail. */
  compact(revision: Revision): Promise<void>
  getCompactedRevision(): Revision
}

export interface SizeStatistics {
  /** Returns the size of the store in bytes. For a store on disk that is the size on disk, otherwise the size in memory. */
  measureSize(): Promise<number>
}

export function hasSnapshots(backend: Backend): backend is Backend & Snapshots {
  return 'takeSnapshot' in backend && 'findSnapshot' in backend
}
export function hasCompaction(backend: Backend): backend is Backend & Compaction {
  return 'compact' in backend
}
export function hasSizeStatistics(backend: Backend): backend is Backend & SizeStatistics {
  return 'measureSize' in backend
}

/**
 * Throws a `TypeError` that names the invalid member of a transaction. Drivers must call this function before they write anything.
 * TypeScript does not check callers in JavaScript, and a string instead of bytes would be stored wrongly.
 */
export function requireTransaction(transaction: Transaction): void {
  if (typeof transaction !== 'object' || transaction === null)
    throw newInvalidMemberError('the transaction', '{ compare, operations }', transaction)
  const { compare, operations } = transaction
  if (!Array.isArray(compare)) throw newInvalidMemberError('compare', 'an array of { key, modRevision }, empty to compare nothing', compare)
  if (!Array.isArray(operations)) throw newInvalidMemberError('operations', 'an array of puts and deletes', operations)
  for (let i = 0; i < compare.length; i++) {
    const { key, modRevision } = (compare[i] ?? {}) as Partial<Transaction['compare'][number]>
    if (typeof key !== 'string') throw newInvalidMemberError(`compare[${i}].key`, 'a string', key)
    if (!Number.isSafeInteger(modRevision))
      throw newInvalidMemberError(`compare[${i}].modRevision`, 'an integer, 0 for an absent key', modRevision)
  }
  for (let i = 0; i < operations.length; i++) {
    const { type, key, value, lease } = (operations[i] ?? {}) as { type?: unknown; key?: unknown; value?: unknown; lease?: unknown }
    if (type !== 'put' && type !== 'delete') throw newInvalidMemberError(`operations[${i}].type`, '"put" or "delete"', type)
    if (typeof key !== 'string' || key === '') throw newInvalidMemberError(`operations[${i}].key`, 'a string that is not empty', key)
    if (type === 'delete') continue
    if (!isUint8Array(value)) throw newInvalidMemberError(`operations[${i}].value`, 'a Uint8Array (a Buffer is one)', value)
    if (lease !== undefined && !Number.isSafeInteger(lease))
      throw newInvalidMemberError(`operations[${i}].lease`, 'a lease from grantLease', lease)
  }
}

function newInvalidMemberError(member: string, allowed: string, value: unknown): TypeError {
  return new TypeError(`${member} must be ${allowed}, not ${describe(value)}`)
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string (${JSON.stringify(value.slice(0, 40))})`
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'an array' : `a ${value.constructor?.name ?? 'object'}`
}
