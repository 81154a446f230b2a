import { trim } from '@keelson/apimachinery'
import { requireTransaction, StoppedError, UnavailableError } from '@keelson/storagebackend'
import type {
  Backend,
  CommitOptions,
  CommitResult,
  Compaction,
  GetResult,
  KeyRange,
  LeaseId,
  ListOptions,
  ListPage,
  ReadOptions,
  Revision,
  SizeStatistics,
  Transaction,
  WatchMessage,
  WatchOptions,
} from '@keelson/storagebackend'
import { Committer } from './committer.ts'
import { Compactor } from './compactor.ts'
import type { Connected } from './connect.ts'
import type { Settings } from './etcd3-options.ts'
import { rangeMethod } from './kv-methods.ts'
import { KnownRevisions } from './known-revisions.ts'
import { EtcdLessor } from './lessor.ts'
import { RangeReader } from './range-reader.ts'
import { OutcomeResolver } from './resolve-outcome.ts'
import { CallFailedError, Servers } from './servers.ts'
import { newClosedError, toBackendError } from './translate-error.ts'
import { WatchSet } from './watch-set.ts'
import { parseInteger } from './wire-values.ts'

/** Storage backend that stores its data in etcd. */
export class Etcd3Backend implements Backend, Compaction, SizeStatistics {
  readonly #settings: Settings
  readonly #connected: Connected
  readonly #servers: Servers
  readonly #knownRevisions = new KnownRevisions()
  readonly #reader: RangeReader
  readonly #committer: Committer
  readonly #lessor: EtcdLessor
  readonly #watches: WatchSet
  readonly #compactor: Compactor
  #health: Promise<void> | undefined
  #closing: Promise<void> | undefined
  /**
   * Error of the health check after etcd was restored from an older backup. From then on, caches contain lost changes, and the revisions of watches and
   * continue tokens are invalid.
   */
  #restored: StoppedError | undefined

  constructor(connected: Connected, settings: Settings) {
    const { clock, retryTimeout, log } = settings
    this.#settings = settings
    this.#connected = connected
    const knownRevisions = this.#knownRevisions
    const servers = (this.#servers = new Servers(connected.endpoints, settings))
    const reader = (this.#reader = new RangeReader(servers, knownRevisions, settings.pageSize))
    const watches = (this.#watches = new WatchSet({
      settings,
      servers,
      knownRevisions,
      getCurrentRevision: () => reader.currentRevision(),
    }))
    const store = {
      get: (key: string) => reader.get(key),
      list: (range: KeyRange) => reader.list(range),
      watch: (range: KeyRange, after: Revision, { signal }: WatchOptions) => watches.watch(range, after, signal),
    }
    const resolver = new OutcomeResolver({ store, retryTimeout, now: () => clock.now(), pause: (ms) => servers.pause(ms) })
    this.#committer = new Committer(servers, knownRevisions, (transaction, base, cause) => resolver.resolve(transaction, base, cause))
    this.#lessor = new EtcdLessor(servers)
    this.#compactor = new Compactor({
      servers,
      knownRevisions,
      clock,
      interval: settings.compactionInterval,
      watch: (range, after, signal) => watches.watch(range, after, signal),
      log,
    })
  }

  /**
   * Starts the backend. It must be called once, before all other methods. Reads the current revision, from which the outcome of the first writes
   * can be determined.
   */
  async start(): Promise<void> {
    await this.#reader.currentRevision()
    this.#compactor.start()
  }

  async get(key: string, options?: ReadOptions): Promise<GetResult> {
    this.#requireOpen()
    return this.#reader.get(key, options)
  }

  async list(range: KeyRange, options?: ListOptions): Promise<ListPage> {
    this.#requireOpen()
    return this.#reader.list(range, options)
  }

  async commit(transaction: Transaction, options?: CommitOptions): Promise<CommitResult> {
    this.#requireOpen()
    requireTransaction(transaction)
    return this.#committer.commit(transaction, options)
  }

  watch(range: KeyRange, after: Revision, { signal }: WatchOptions): AsyncIterable<WatchMessage> {
    return this.#watches.watch(range, after, signal)
  }

  async requestProgress(): Promise<void> {
    return this.#watches.requestProgress()
  }

  async grantLease(ttlSeconds: number): Promise<LeaseId> {
    this.#requireOpen()
    return this.#lessor.grantLease(ttlSeconds)
  }

  async compact(revision: Revision): Promise<void> {
    this.#requireOpen()
    return this.#compactor.compact(revision)
  }

  getCompactedRevision(): Revision {
    return this.#knownRevisions.compacted
  }

  async measureSize(): Promise<number> {
    this.#requireOpen()
    try {
      const status = await this.#servers.call({ type: 'read' }, (endpoint, settings) => endpoint.maintenance.status(settings))
      return parseInteger(status.dbSize)
    } catch (error) {
      throw error instanceof CallFailedError ? toBackendError(error.failure) : error
    }
  }

  /** Checks that etcd can be read. Reads a key that need not exist, like kube-apiserver's health check. Concurrent calls share one read. */
  async checkHealth(): Promise<void> {
    this.#requireOpen()
    this.#health ??= this.#probe().finally(() => {
      this.#health = undefined
    })
    return this.#health
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #probe(): Promise<void> {
    const { prefix, healthTimeout, log } = this.#settings
    if (this.#restored) throw this.#restored
    // Reads are linearizable, so a later read never returns an older revision. If it does, etcd was restored from a backup.
    const newestRevision = this.#knownRevisions.current
    const key = `/${trim(prefix, '/')}/health`
    try {
      const { revision } = await this.#servers.call(
        { type: 'read', callTimeout: healthTimeout, retryTimeout: healthTimeout },
        (endpoint, settings) => endpoint.call(rangeMethod, { key }, settings),
      )
      if (revision >= newestRevision) return
      this.#restored = new StoppedError(
        `etcd was restored from an older backup: its revision is ${revision}, but it was ${newestRevision} before; restart the server`,
      )
      log(0, 'Etcd was restored from an older backup; restart the server', { revision, before: newestRevision })
      throw this.#restored
    } catch (error) {
      if (!(error instanceof CallFailedError)) throw error
      throw new UnavailableError(`error getting data from etcd: ${error.failure.message}`, { cause: error })
    }
  }

  async #close(): Promise<void> {
    this.#compactor.stop()
    this.#watches.stop(newClosedError())
    await this.#connected.close()
  }

  #requireOpen(): void {
    if (this.#closing) throw newClosedError()
  }
}
