import type { Entry, GetResult, KeyRange, ListOptions, ListPage, Reader, ReadOptions, Revision } from '@keelson/storagebackend'
import type { IRangeRequest, IRangeResponse } from 'etcd3'
import type { KnownRevisions } from './known-revisions.ts'
import { CallFailedError, type Servers } from './servers.ts'
import { toBackendError } from './translate-error.ts'
import { toEntry, toInteger, toKey, toRevision } from './wire-values.ts'

/** Reads, linearizable unless a revision is given. A large range is read in pages, all of them at the first one's revision. */
export class RangeReader implements Reader {
  readonly #servers: Servers
  readonly #known: KnownRevisions
  readonly #pageSize: number

  constructor(servers: Servers, known: KnownRevisions, pageSize: number) {
    this.#servers = servers
    this.#known = known
    this.#pageSize = pageSize
  }

  async get(key: string, options: ReadOptions = {}): Promise<GetResult> {
    const answer = await this.#range({ key: toKey(key) }, options)
    const [kv] = answer.kvs
    return { entry: kv && toEntry(kv, true), revision: this.#known.saw(toRevision(answer.header.revision)) }
  }

  async list(range: KeyRange, options: ListOptions = {}): Promise<ListPage> {
    const limit = options.limit ? options.limit : Infinity
    const end = range.end === undefined ? undefined : toKey(range.end)
    const bounds = { key: toKey(range.start), ...(end && { range_end: end }) }
    if (options.countOnly) {
      const answer = await this.#range({ ...bounds, count_only: true }, options)
      const count = toInteger(answer.count)
      return { entries: [], revision: this.#known.saw(toRevision(answer.header.revision)), count, more: count > 0 }
    }
    const first = await this.#range({ ...bounds, limit: Math.min(limit, this.#pageSize) }, options)
    const revision = this.#known.saw(toRevision(first.header.revision))
    const count = toInteger(first.count)
    const entries: Entry[] = first.kvs.map((kv) => toEntry(kv))
    for (let more = first.more; more && entries.length < limit;) {
      const key = toKey(`${entries.at(-1)!.key}\0`)
      const page = await this.#range(
        { ...bounds, key, limit: Math.min(limit - entries.length, this.#pageSize) },
        { ...options, at: options.at ?? revision },
      )
      for (const kv of page.kvs) entries.push(toEntry(kv))
      more = page.more && page.kvs.length > 0
    }
    return { entries, revision, count, more: count > entries.length }
  }

  /** The store's revision at a moment between call and answer. */
  async currentRevision(signal?: AbortSignal): Promise<Revision> {
    // A key that is never there: the answer is its header.
    const answer = await this.#range({ key: toKey('\0'), count_only: true }, signal ? { signal } : {})
    return this.#known.saw(toRevision(answer.header.revision))
  }

  async #range(request: IRangeRequest, { at, signal }: ReadOptions): Promise<IRangeResponse> {
    try {
      const full = at === undefined ? request : { ...request, revision: at }
      return await this.#servers.call({ type: 'read', signal }, (endpoint, settings) => endpoint.kv.range(full, settings))
    } catch (error) {
      if (!(error instanceof CallFailedError)) throw error
      const { failure } = error
      if (failure.kind === 'future') throw toBackendError(failure, { at, current: await this.currentRevision(signal) })
      throw toBackendError(failure, { at, compacted: this.#known.compacted })
    }
  }
}
