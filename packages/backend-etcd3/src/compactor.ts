import { pause } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { KeyRange, Revision, WatchMessage } from '@keelson/storagebackend'
// etcd3 provides only the enum values for comparisons here. The calls themselves use `UnaryCall`.
import { CompareResult, CompareTarget } from 'etcd3'
import { rangeMethod } from './kv-methods.ts'
import type { KnownRevisions } from './known-revisions.ts'
import { CallFailedError, type Servers } from './servers.ts'
import { toBackendError } from './translate-error.ts'
import { parseInteger, toKey } from './wire-values.ts'

/** Key of the compaction record, which kube-apiserver uses too. The record's value is the last compacted revision. Its version counts compactions. */
export const compactionRecord = 'compact_rev_key'

export interface CompactorOptions {
  readonly servers: Servers
  readonly knownRevisions: KnownRevisions
  readonly clock: Clock
  /** Interval between compactions in milliseconds. 0 disables automatic compaction. */
  readonly interval: number
  readonly watch: (range: KeyRange, after: Revision, signal: AbortSignal) => AsyncIterable<WatchMessage>
  readonly log: (level: number, text: string, fields?: Readonly<Record<string, unknown>>) => void
}

/**
 * Compacts etcd regularly, and keeps one to two intervals of history. Several servers (Keelson or kube-apiserver) can share one etcd. Once per
 * interval, each of them tries to increase the version of the compaction record, starting from the version it saw last. The server that
 * succeeds compacts etcd to the revision of its previous attempt:
 *
 *     version    n          n+1         n+2
 *     A       ───┼───────────┼───────────┼──▶   compacts to its revision at n, then to its revision at n+1
 *     B       ──────┼ fails, learns n+1 ────┼──▶   keeps failing while A runs, and succeeds afterwards
 */
export class Compactor {
  readonly #options: CompactorOptions
  readonly #abort = new AbortController()
  /** Version of the record that this server has last seen. */
  #version = 0
  /** Revision of the store when the record had that version; 0 before the first round. */
  #revision: Revision = 0
  #cancelTimer: (() => void) | undefined

  constructor(options: CompactorOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#options.interval > 0) this.#schedule()
    void this.#watchRecord()
  }

  stop(): void {
    this.#abort.abort()
    this.#cancelTimer?.()
  }

  async compact(revision: Revision): Promise<void> {
    const { servers, knownRevisions } = this.#options
    try {
      await servers.call({ type: 'read' }, (endpoint, settings) => endpoint.kv.compact({ revision }, settings))
    } catch (error) {
      if (!(error instanceof CallFailedError)) throw error
      // The revision is already compacted: by another server, or by an earlier attempt of this call whose response was lost.
      if (error.failure.kind !== 'compacted') throw toBackendError(error.failure, { at: revision, current: knownRevisions.current })
    }
    knownRevisions.recordCompacted(revision)
  }

  /** Runs one round of compaction. Returns the compacted revision, or undefined if another server compacts. */
  async round(): Promise<Revision | undefined> {
    const { servers, knownRevisions } = this.#options
    const key = toKey(compactionRecord)
    const target = this.#revision
    const answer = await servers.call({ type: 'write' }, (endpoint, settings) =>
      endpoint.kv.txn(
        {
          compare: [{ key, target: CompareTarget.Version, result: CompareResult.Equal, version: this.#version }],
          success: [{ request_put: { key, value: Buffer.from(String(target)) } }],
          failure: [{ request_range: { key } }],
        },
        settings as object,
      ),
    )
    this.#revision = knownRevisions.recordRevision(parseInteger(answer.header.revision))
    if (!answer.succeeded) {
      const record = answer.responses[0]?.response_range.kvs[0]
      this.#version = record ? parseInteger(record.version) : 0
      if (record) this.#recordCompacted(record.value)
      return undefined
    }
    this.#version++
    if (target === 0) return undefined
    await this.compact(target)
    return target
  }

  #schedule(): void {
    const { clock, interval, log } = this.#options
    this.#cancelTimer = clock.after(interval, () => {
      // A failed round only needs a log message, because the next round repeats it.
      const logFailure = (error: unknown): void => log(0, 'Compaction of etcd failed', { err: error })
      void this.round()
        .then((revision) => revision !== undefined && log(1, 'Compacted etcd', { revision }), logFailure)
        .then(() => {
          if (!this.#abort.signal.aborted) this.#schedule()
        })
    })
  }

  /** Watches the compaction record, to learn about compactions by other servers. */
  async #watchRecord(): Promise<void> {
    const { clock, servers, knownRevisions, watch } = this.#options
    const { signal } = this.#abort
    while (!signal.aborted) {
      try {
        const { entries, revision } = await servers.call({ type: 'read', signal }, (endpoint, settings) =>
          endpoint.call(rangeMethod, { key: compactionRecord }, settings),
        )
        if (entries[0]) this.#recordCompacted(entries[0].value)
        knownRevisions.recordRevision(revision)
        for await (const message of watch({ start: compactionRecord, end: undefined }, revision, signal)) {
          if (message.type === 'progress') continue
          for (const change of message.changes) if (change.type === 'put') this.#recordCompacted(change.entry.value)
        }
      } catch {
        // The watch has fallen too far behind, or etcd cannot be reached. A new watch is opened.
      }
      await pause(clock, 1000, { signal })
    }
  }

  #recordCompacted(value: Uint8Array): void {
    const revision = Number(Buffer.from(value).toString())
    if (Number.isSafeInteger(revision)) this.#options.knownRevisions.recordCompacted(revision)
  }
}
