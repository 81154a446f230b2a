import { appendAll, mapList, waitForNextTurn, type Clock } from '@keelson/apimachinery'
import {
  ReadOnlyError,
  requireTransaction,
  StoppedError,
  type Change,
  type CommitResult,
  type Entry,
  type LeaseId,
  type Operation,
  type Revision,
  type Transaction,
} from '@keelson/storagebackend'
import { NotWrittenError, type Durability, type WriteBatch } from './durability.ts'
import type { Lease } from './leases.ts'

/** A revision that has been assigned to a write, but may not be durable yet. */
export interface PendingRevision {
  readonly revision: Revision
  readonly changes: readonly Change[]
}

/** The functions of the store that the commit queue calls. */
export interface CommitState {
  /** Returns the newest durable entry of the key. */
  getVisibleEntry(key: string): Entry | undefined
  getVisibleRevision(): Revision
  /**
   * Makes a durable revision visible to reads, and publishes it to watches. Called once for each revision, in order. All revisions of a
   * batch are applied in one turn of the event loop.
   */
  apply(revision: PendingRevision): void
  applyLease(lease: Lease): void
  endLease(id: LeaseId): void
  requireLease(id: LeaseId): void
  /** Stops the store because of the error. */
  stop(error: Error): void
}

/** A part of a batch, with the promise functions of its caller. A step without changes resolves after the steps before it. */
interface Step {
  readonly revision?: PendingRevision | undefined
  readonly lease?: Lease
  readonly endedLeases?: readonly LeaseId[]
  readonly bytes: number
  readonly settle: (result: CommitResult) => void
  readonly fail: (error: Error) => void
}

/** The maximum number of steps in one flush, so that preparing and publishing a flush takes only a few milliseconds. */
const maxSteps = 512
const maxBytes = 4 * 2 ** 20
/** The maximum size of a batch that is always flushed as a whole. */
const minSplitSteps = 4
/** The number of waiting steps at which a flush starts immediately, however many writers there are. */
const maxHeldBack = 16

const maxKeyBytes = 1900
/** The interval, in milliseconds, at which a store that is read-only because of a full disk tries to write again. */
const probeInterval = 5000

/**
 * Puts all writes in order, and takes each one through the steps: decided → durable → visible → published.
 *
 *     commit() ─ compares with the pending head, gets its revision ─┐
 *     commit() ─────────────────────────────────────────────────────┤ gathering
 *                                                                   v
 *              flushing: one batch at a time, all or nothing ── apply each revision in order ── resolve
 *
 * A write that arrives during a flush is part of a later flush. A result that depends on a pending write waits until that write is durable.
 *
 * A flush normally starts when half of the writers wait, so that the other half can prepare their next write while the disk is busy. If a flush
 * included the writes of all writers, the writers would wait for the disk, and then the disk would wait for the writers. Closed-loop writers are an
 * exception: they submit their next write immediately. Their writes are flushed together, because two flushes cost the disk and the processor twice
 * as much.
 */
export class CommitQueue {
  readonly #state: CommitState
  readonly #durability: Durability | undefined
  readonly #clock: Clock
  /** The entries of keys after all writes that have a revision, even if these writes are not durable yet. Undefined for a deleted key. */
  readonly #head = new Map<string, { readonly entry: Entry | undefined; readonly revision: Revision }>()
  #headRevision: Revision
  #gathering: Step[] = []
  /** The number of steps in the last flush. About this many writers are now preparing their next write. */
  #lastFlushSteps = 0
  /** The number of waiting steps at which a flush starts immediately. */
  #flushThreshold = maxHeldBack
  /** Whether writers submit their next write as soon as their last write resolves (a closed loop). */
  #isClosedLoop = false
  /** The number of all steps that were submitted so far. */
  #submitted = 0
  #flushing: Promise<void> | undefined
  #endOfTurn: NodeJS.Immediate | undefined
  #stopped: Error | undefined
  #closing: Error | undefined
  #readOnly: { readonly error: Error; readonly since: number } | undefined

  constructor(state: CommitState, durability: Durability | undefined, clock: Clock) {
    this.#state = state
    this.#durability = durability
    this.#clock = clock
    this.#headRevision = state.getVisibleRevision()
  }

  /** The error that stopped the store, after which reads are not reliable. Undefined while the disk is only full. */
  get failure(): Error | undefined {
    return this.#stopped
  }

  /**
   * This function is not `async`, so that a write needs one promise instead of three. Errors that the executor throws reject the promise.
   */
  commit(transaction: Transaction): Promise<CommitResult> {
    return new Promise((settle, fail) => {
      this.#requireRunning()
      requireTransaction(transaction)
      for (const { key, modRevision } of transaction.compare) {
        if ((this.#getCurrent(key)?.modRevision ?? 0) !== modRevision) return settle(this.#createLostResult(transaction))
      }
      const operations = this.#selectChanging(transaction.operations)
      if (operations.length === 0) return settle(this.#createUnchangedResult())
      // Deletes are allowed on a full disk, because they free space.
      if (operations.some(isPut)) this.#requireWritable()
      for (const operation of operations) this.#requireValid(operation)

      // There must be no `await` between this line and adding the step to the queue, because the next commit must see the revision and
      // entries of this one.
      const decided = this.#decide(operations)
      if (this.#durability) return this.#queue({ revision: decided, bytes: sumValueBytes(decided), settle, fail })
      this.#state.apply(decided)
      settle({ committed: true, revision: decided.revision })
    })
  }

  async grant(lease: Lease): Promise<void> {
    this.#requireRunning()
    this.#requireWritable()
    // Register the lease before it is durable, so that a put may use it at once. If the lease is lost, no key refers to it.
    this.#state.applyLease(lease)
    if (this.#durability) await this.#queued({ lease })
  }

  /** Deletes expired leases and their keys in one revision, which watches see like any other write. */
  async expire(ids: readonly LeaseId[], keys: readonly string[]): Promise<void> {
    this.#requireRunning()
    const expiredLeases = new Set(ids)
    // Pending puts may use the leases too, so their keys are included.
    const candidates = new Set([...keys, ...this.#head.keys()])
    const operations = Array.from(candidates)
      .filter((key) => expiredLeases.has(this.#getCurrent(key)?.lease ?? 0))
      .map((key) => ({ type: 'delete', key }) as const)
    const decided = operations.length > 0 ? this.#decide(operations) : undefined
    // Delete the leases and their keys in one step, because a lease must not be deleted before its keys.
    if (this.#durability) await this.#queued({ revision: decided, endedLeases: ids })
    else if (decided) this.#state.apply(decided)
    for (const id of ids) this.#state.endLease(id)
  }

  /** Refuses new writes, and waits until earlier writes are durable. */
  async close(error: Error): Promise<void> {
    this.#closing = error
    while (this.#flushing ?? this.#endOfTurn) await (this.#flushing ?? waitForNextTurn())
  }

  #getCurrent(key: string): Entry | undefined {
    const pending = this.#head.get(key)
    return pending ? pending.entry : this.#state.getVisibleEntry(key)
  }

  /** Returns the operations that change something. Deletes of absent keys are left out. */
  #selectChanging(operations: readonly Operation[]): readonly Operation[] {
    return operations.every(isPut) ? operations : operations.filter((o) => isPut(o) || this.#getCurrent(o.key) !== undefined)
  }

  /** Resolves a transaction that changes nothing. It gets no new revision. */
  async #createUnchangedResult(): Promise<CommitResult> {
    const revision = this.#headRevision
    await this.#waitUntilSettled()
    return { committed: true, revision }
  }

  async #createLostResult(transaction: Transaction): Promise<CommitResult> {
    const current = transaction.compare.map(({ key }) => this.#getCurrent(key))
    const revision = this.#headRevision
    await this.#waitUntilSettled()
    return { committed: false, revision, current }
  }

  /** Applies the operations to the pending entries, and assigns the next revision. */
  #decide(operations: readonly Operation[]): PendingRevision {
    const revision = ++this.#headRevision
    // The history keeps this array, so it is created with its exact length. An array that grows with `push` would reserve more memory.
    const changes =
      operations.length === 1
        ? [this.#change(operations[0]!, revision)]
        : mapList(operations, (operation) => this.#change(operation, revision))
    return { revision, changes }
  }

  #change(operation: Operation, revision: Revision): Change {
    const { key } = operation
    const previous = this.#getCurrent(key)
    if (operation.type === 'delete') {
      if (this.#durability) this.#head.set(key, { entry: undefined, revision })
      return { type: 'delete', key, revision, previous }
    }
    const entry: Entry = {
      key,
      value: operation.value,
      createRevision: previous ? previous.createRevision : revision,
      modRevision: revision,
      lease: operation.lease ?? 0,
      view: undefined,
    }
    if (this.#durability) this.#head.set(key, { entry, revision })
    return { type: 'put', entry, previous }
  }

  /** Waits until all writes that have a revision are durable. */
  async #waitUntilSettled(): Promise<void> {
    if (this.#head.size > 0) await this.#queued({})
  }

  async #queued(step: Pick<Step, 'revision' | 'lease' | 'endedLeases'>): Promise<void> {
    await new Promise((settle, fail) => {
      this.#queue({ ...step, bytes: 0, settle, fail })
    })
  }

  #queue(step: Step): void {
    this.#submitted++
    this.#gathering.push(step)
    this.#flushSoon()
  }

  /**
   * A small batch is flushed at the end of the turn, because writers that have just received a response often submit again in the same
   * turn.
   */
  #flushSoon(): void {
    if (this.#flushing || this.#gathering.length === 0) return
    if (this.#gathering.length < this.#flushThreshold) this.#endOfTurn ??= setImmediate(() => this.#beginFlush())
    else this.#beginFlush()
  }

  #beginFlush(): void {
    clearImmediate(this.#endOfTurn)
    this.#endOfTurn = undefined
    this.#flushing = this.#flush(this.#take())
  }

  #take(): readonly Step[] {
    const gathered = this.#gathering
    const half = Math.ceil((gathered.length + this.#lastFlushSteps) / 2)
    const limit = Math.min(gathered.length, Math.max(half, minSplitSteps), maxSteps)
    let count = 0
    for (let bytes = 0; count < limit && bytes < maxBytes; count++) bytes += gathered[count]!.bytes
    return gathered.splice(0, count)
  }

  async #flush(batch: readonly Step[]): Promise<void> {
    const startTime = performance.now()
    let flushTime: number
    try {
      await this.#write(batch)
      flushTime = performance.now() - startTime
      for (const { revision } of batch) if (revision) this.#apply(revision)
    } catch (error) {
      this.#flushing = undefined
      this.#fail(batch, error)
      return
    }
    this.#readOnly = undefined
    const waiting = this.#gathering.length
    this.#flushThreshold = this.#computeThreshold(batch.length, waiting)
    this.#lastFlushSteps = batch.length
    // Start the next flush before resolving the promises of this one, because the code of the callers may take a while.
    this.#flushing = undefined
    this.#flushSoon()
    this.#detectClosedLoop(batch.length, batch.length + waiting, flushTime)
    for (const { revision, settle } of batch) settle({ committed: true, revision: revision?.revision ?? this.#headRevision })
  }

  async #write(batch: readonly Step[]): Promise<void> {
    if (this.#stopped) throw this.#stopped
    if (batch.some(hasEffect)) await this.#durability!.write(createBatch(batch, this.#state.getVisibleRevision()))
  }

  #computeThreshold(answered: number, waiting: number): number {
    if (this.#isClosedLoop) return Math.min(answered + waiting, maxSteps)
    const writers = answered + Math.max(this.#lastFlushSteps, waiting)
    return Math.max(2, Math.min(Math.ceil(writers / 2), maxHeldBack))
  }

  /** Detects closed-loop writers. All of them submit their next write before anything else runs, and in less time than a flush takes. */
  #detectClosedLoop(answered: number, writers: number, flushTime: number): void {
    const oldSubmitted = this.#submitted
    const waitStart = performance.now()
    process.nextTick(() => {
      const returned = this.#submitted - oldSubmitted
      const time = performance.now() - waitStart
      this.#isClosedLoop = returned * 2 > answered && (time * writers) / returned < flushTime
    })
  }

  #apply(pending: PendingRevision): void {
    this.#state.apply(pending)
    for (const change of pending.changes) {
      const key = change.type === 'put' ? change.entry.key : change.key
      if (this.#head.get(key)?.revision === pending.revision) this.#head.delete(key)
    }
  }

  /** Rejects all waiting writes, because each of them may depend on the write that failed. */
  #fail(batch: readonly Step[], error: unknown): void {
    const cause = error instanceof Error ? error : new Error(String(error))
    let failure: Error
    if (this.#stopped) failure = this.#stopped
    else if (cause instanceof NotWrittenError) {
      failure = new ReadOnlyError(cause.message, { cause })
      this.#readOnly = { error: failure, since: this.#clock.now() }
    } else {
      failure = this.#stopped = new StoppedError(`a flush failed: ${cause.message}`, { cause })
      this.#state.stop(failure)
    }
    const waiting = [...batch, ...this.#gathering]
    this.#gathering = []
    this.#head.clear()
    this.#headRevision = this.#state.getVisibleRevision()
    for (const { fail } of waiting) fail(failure)
  }

  #requireRunning(): void {
    const reason = this.#closing ?? this.#stopped
    if (reason) throw reason
  }

  #requireValid(operation: Operation): void {
    requireKey(operation.key)
    if (operation.type === 'put' && operation.lease) this.#state.requireLease(operation.lease)
  }

  #requireWritable(): void {
    if (this.#readOnly && this.#clock.now() - this.#readOnly.since < probeInterval) throw this.#readOnly.error
  }
}

/** Checks a key against LMDB's limits. The limits apply to stores in memory too, so that all stores accept the same keys. */
function requireKey(key: string): void {
  if (!key.isWellFormed()) throw new RangeError(`the key ${JSON.stringify(key)} is not well-formed Unicode`)
  if (key.length * 3 > maxKeyBytes && Buffer.byteLength(key) > maxKeyBytes)
    throw new RangeError(`the key ${JSON.stringify(key.slice(0, 100))}… is longer than ${maxKeyBytes} bytes`)
}

function isPut({ type }: Operation): boolean {
  return type === 'put'
}

function hasEffect({ revision, lease, endedLeases }: Step): boolean {
  return revision !== undefined || lease !== undefined || endedLeases !== undefined
}

function sumValueBytes({ changes }: PendingRevision): number {
  let bytes = 0
  for (const change of changes) if (change.type === 'put') bytes += change.entry.value.length
  return bytes
}

function createBatch(steps: readonly Step[], visible: Revision): WriteBatch {
  const puts: Entry[] = []
  /** Entries that were put and then replaced within the same batch. They were never on disk. */
  const superseded = new Set<Entry>()
  const deletes = new Set<string>()
  const replaced: Entry[] = []
  const leases: Lease[] = []
  const endedLeases: LeaseId[] = []
  let revision = visible
  for (const step of steps) {
    if (step.lease) leases.push(step.lease)
    if (step.endedLeases) appendAll(endedLeases, step.endedLeases)
    if (!step.revision) continue
    revision = step.revision.revision
    for (const change of step.revision.changes) {
      const { previous } = change
      if (previous) {
        if (previous.modRevision <= visible) replaced.push(previous)
        else superseded.add(previous)
      }
      if (change.type === 'delete') deletes.add(change.key)
      else {
        puts.push(change.entry)
        if (deletes.size > 0) deletes.delete(change.entry.key)
      }
    }
  }
  const last = superseded.size > 0 ? puts.filter((entry) => !superseded.has(entry)) : puts
  return { revision, puts: last, deletes, replaced, leases, endedLeases }
}
