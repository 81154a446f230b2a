import { pause } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { KeyRange, Revision, WatchMessage } from '@keelson/storagebackend'
// Of etcd3 only the numbers of etcd's comparisons; the calls are this package's own.
import { CompareResult, CompareTarget } from 'etcd3'
import { rangeMethod } from './kv-methods.ts'
import type { KnownRevisions } from './known-revisions.ts'
import { CallFailedError, type Servers } from './servers.ts'
import { toBackendError } from './translate-error.ts'
import { toInteger, toKey } from './wire-values.ts'

/** The original's: its value is the revision last compacted, and its version counts the compactions. */
export const compactionRecord = 'compact_rev_key'

export interface CompactorOptions {
  readonly servers: Servers
  readonly known: KnownRevisions
  readonly clock: Clock
  /** 0: it never compacts by itself. */
  readonly interval: number
  readonly watch: (range: KeyRange, after: Revision, signal: AbortSignal) => AsyncIterable<WatchMessage>
  readonly log: (level: number, text: string, fields?: Readonly<Record<string, unknown>>) => void
}

/**
 * Keeps history at one to two intervals. Every server on the etcd, ours or the original, comes by once in an interval and raises the
 * record's version if it still is the one it knows; who succeeds compacts, to the revision at which it came by the time before:
 *
 *     version    n          n+1         n+2
 *     A       ───┼───────────┼───────────┼──▶   compacts to n's moment, then to n+1's
 *     B       ──────┼ lost, learns n+1 ────┼──▶  loses again while A lives, takes over when it does not
 */
export class Compactor {
  readonly #options: CompactorOptions
  readonly #abort = new AbortController()
  /** The record's version as last seen. */
  #version = 0
  /** The store's revision when that was seen; 0 before the first time. */
  #revision: Revision = 0
  #cancelTimer: (() => void) | undefined

  constructor(options: CompactorOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#options.interval > 0) this.#schedule()
    void this.#follow()
  }

  stop(): void {
    this.#abort.abort()
    this.#cancelTimer?.()
  }

  async compact(revision: Revision): Promise<void> {
    const { servers, known } = this.#options
    try {
      await servers.call({ type: 'read' }, (endpoint, settings) => endpoint.kv.compact({ revision }, settings))
    } catch (error) {
      if (!(error instanceof CallFailedError)) throw error
      // Somebody else has done it, or an earlier try of this call whose answer was lost.
      if (error.failure.kind !== 'compacted') throw toBackendError(error.failure, { at: revision, current: known.current })
    }
    known.sawCompacted(revision)
  }

  /** One coming by. Says to which revision it compacted, undefined when it was not its turn. */
  async round(): Promise<Revision | undefined> {
    const { servers, known } = this.#options
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
    this.#revision = known.saw(toInteger(answer.header.revision))
    if (!answer.succeeded) {
      const record = answer.responses[0]?.response_range.kvs[0]
      this.#version = record ? toInteger(record.version) : 0
      if (record) this.#learn(record.value)
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
      // A round that fails is made up for by the next one.
      const failed = (error: unknown): void => log(0, 'Compaction of etcd failed', { err: error })
      void this.round()
        .then((revision) => revision !== undefined && log(1, 'Compacted etcd', { revision }), failed)
        .then(() => {
          if (!this.#abort.signal.aborted) this.#schedule()
        })
    })
  }

  /** Learns what others compact. */
  async #follow(): Promise<void> {
    const { clock, servers, known, watch } = this.#options
    const { signal } = this.#abort
    while (!signal.aborted) {
      try {
        const { entries, revision } = await servers.call({ type: 'read', signal }, (endpoint, settings) =>
          endpoint.call(rangeMethod, { key: compactionRecord }, settings),
        )
        if (entries[0]) this.#learn(entries[0].value)
        known.saw(revision)
        for await (const message of watch({ start: compactionRecord, end: undefined }, revision, signal)) {
          if (message.type === 'progress') continue
          for (const change of message.changes) if (change.type === 'put') this.#learn(change.entry.value)
        }
      } catch {
        // Too far behind, or out of reach: begin anew.
      }
      await pause(clock, 1000, { signal })
    }
  }

  #learn(value: Uint8Array): void {
    const revision = Number(Buffer.from(value).toString())
    if (Number.isSafeInteger(revision)) this.#options.known.sawCompacted(revision)
  }
}
