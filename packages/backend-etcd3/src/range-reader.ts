import type { Entry, GetResult, KeyRange, ListOptions, ListPage, Reader, ReadOptions, Revision } from '@keelson/storagebackend'
import { rangeMethod, type RangeResponse, type RangeRequest } from './kv-methods.ts'
import type { KnownRevisions } from './known-revisions.ts'
import { CallFailedError, type Servers } from './servers.ts'
import { toBackendError } from './translate-error.ts'

/** Reads keys and ranges. Without a revision, reads are linearizable. A large range is read in pages, all at the revision of the first page. */
export class RangeReader implements Reader {
  readonly #servers: Servers
  readonly #knownRevisions: KnownRevisions
  readonly #pageSize: number

  constructor(servers: Servers, knownRevisions: KnownRevisions, pageSize: number) {
    this.#servers = servers
    this.#knownRevisions = knownRevisions
    this.#pageSize = pageSize
  }

  async get(key: string, options: ReadOptions = {}): Promise<GetResult> {
    const { entries, revision } = await this.#range({ key }, options)
    return { entry: entries[0], revision }
  }

  async list(range: KeyRange, options: ListOptions = {}): Promise<ListPage> {
    const limit = options.limit ? options.limit : Infinity
    const { start: key, end } = range
    if (options.countOnly) {
      const { revision, count } = await this.#range({ key, end, countOnly: true }, options)
      return { entries: [], revision, count, more: count > 0 }
    }
    const first = await this.#range({ key, end, limit: Math.min(limit, this.#pageSize) }, options)
    const { revision, count } = first
    const entries: Entry[] = [...first.entries]
    for (let hasMore = first.more; hasMore && entries.length < limit;) {
      const page = await this.#range(
        { key: `${entries.at(-1)!.key}\0`, end, limit: Math.min(limit - entries.length, this.#pageSize) },
        { ...options, at: options.at ?? revision },
      )
      for (const entry of page.entries) entries.push(entry)
      hasMore = page.more && page.entries.length > 0
    }
    return { entries, revision, count, more: count > entries.length }
  }

  /** Returns a revision that was current at some time during the call. */
  async currentRevision(signal?: AbortSignal): Promise<Revision> {
    // Reads a key that does not exist, because only the header of the response is needed.
    return (await this.#range({ key: '\0', countOnly: true }, signal ? { signal } : {})).revision
  }

  async #range(request: RangeRequest, { at, signal, span }: ReadOptions): Promise<RangeResponse> {
    try {
      const full = at === undefined ? request : { ...request, at }
      const answer = await this.#servers.call({ type: 'read', signal, span }, (endpoint, settings) =>
        endpoint.call(rangeMethod, full, settings),
      )
      this.#knownRevisions.recordRevision(answer.revision)
      return answer
    } catch (error) {
      if (!(error instanceof CallFailedError)) throw error
      const { failure } = error
      if (failure.kind === 'future') throw toBackendError(failure, { at, current: await this.currentRevision(signal) })
      throw toBackendError(failure, { at, compacted: this.#knownRevisions.compacted })
    }
  }
}
