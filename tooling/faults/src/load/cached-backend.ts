import { selectEverything, selectField, systemClock } from '@keelson/apimachinery'
import { Cacher } from '@keelson/cacher'
import {
  CompactedError,
  createObjectStore,
  isInRange,
  isStorageError,
  computePrefixEnd,
  type Backend,
  type Change,
  type Entry,
  type KeyRange,
} from '@keelson/storagebackend'
import type {
  ListPage,
  ObjectCodec,
  ObjectEvents,
  ObjectList,
  Predicate,
  Revision,
  StoredObject,
  WatchMessage,
} from '@keelson/storagebackend'

/** A cacher with the interface of a store, so that the same clients and checker work for both. Writes go to the store below the cacher. */
export interface CachedBackend extends Backend {
  /** Returns the first key whose value differs in the cache and in the store at the same revision. */
  findFirstDifference(): Promise<string | undefined>
}

/** Opens a cacher for all keys with the prefix. Closing it does not close `backend`. */
export async function openCached(backend: Backend, prefix: string): Promise<CachedBackend> {
  const notedEntries = new EntryNotes(backend)
  const cacher = new Cacher({
    storage: createObjectStore({ backend: notedEntries.backend, codec, resource: { group: '', resource: 'things' }, prefix }),
    prefix,
    requestProgress: () => backend.requestProgress(),
    bookmarkTimes: { every: 1000, beforeDeadline: 0 },
    // Short, because the clients need correct reads, not fresh reads.
    freshnessTimeout: 500,
    digestPeriod: 0,
    clock: systemClock,
  })
  await cacher.waitUntilReady(10_000)

  async function list(range: KeyRange, options: { readonly at?: Revision; readonly limit?: number } = {}): Promise<ListPage> {
    const { at, limit } = options
    const list: ObjectList = await (range.end === undefined && at === undefined
      ? cacher.list(range.start, { recursive: false })
      : cacher.list(prefix, {
          ...(at !== undefined && { resourceVersion: String(at), resourceVersionMatch: 'Exact' as const }),
          ...(limit !== undefined && { limit }),
        }))
    const entries = Array.from(list.items, (object) => notedEntries.findEntry(object)).filter((entry) => isInRange(range, entry.key))
    const more = list.continue !== ''
    const revision = at === undefined ? list.revision : await cacher.getCurrentRevision()
    return { entries, revision, more, count: entries.length + (list.remainingItemCount ?? 0) }
  }

  return {
    list,
    async get(key, { at } = {}) {
      if (!key.startsWith(prefix)) return backend.get(key, at === undefined ? {} : { at })
      const { entries, revision } = await list({ start: key, end: undefined }, at === undefined ? {} : { at })
      return { entry: entries[0], revision }
    },
    commit: (transaction) => backend.commit(transaction),
    grantLease: (seconds) => backend.grantLease(seconds),
    requestProgress: () => backend.requestProgress(),
    checkHealth: () => backend.checkHealth(),
    async *watch(range, after, { signal }) {
      const recursive = range.end !== undefined
      try {
        const options = { resourceVersion: String(after), allowBookmarks: true, recursive, signal }
        const isWholePrefix = recursive && range.start <= prefix && range.end >= computePrefixEnd(prefix)
        const watch = await (recursive && !isWholePrefix
          ? cacher.watch(prefix, { ...options, predicate: selectWithin(range) })
          : cacher.watch(isWholePrefix ? prefix : range.start, options))
        for await (const batch of watch) yield* notedEntries.messagesOf(batch)
      } catch (error) {
        throw isStorageError(error, 'ResourceVersionTooOld') ? new CompactedError(after, after) : error
      }
    },
    findFirstDifference: async () => (await cacher.compareWithStore()).firstDifference,
    [Symbol.asyncDispose]: () => cacher.close(),
  }
}

/** A codec that does not change values. */
const codec: ObjectCodec = {
  encode: () => {
    throw new Error('writes do not go through the cacher')
  },
  open: (key, value, revision): StoredObject => ({
    isStoredObject: true,
    key,
    revision,
    body: value,
    spliceAt: 0,
    labels: undefined,
    field: (name) => String(isWithin(name, key)),
    object: failIfDecoded,
    copy: failIfDecoded,
  }),
}

function failIfDecoded(): never {
  throw new Error('objects are not decoded here')
}

const separator = ' .. '

/** Returns a predicate for the keys in a range. */
function selectWithin({ start, end }: KeyRange): Predicate {
  return { labels: selectEverything(), fields: selectField(`${start}${separator}${end}`, 'true') }
}

function isWithin(name: string, key: string): boolean {
  const [start, end] = name.split(separator)
  return start !== undefined && isInRange({ start, end }, key)
}

/** Remembers the entry of each value, because a cached object does not contain its create revision. */
class EntryNotes {
  readonly backend: Backend
  readonly #entries = new WeakMap<Uint8Array, Entry>()
  readonly #previous = new WeakMap<Uint8Array, Entry | undefined>()

  constructor(backend: Backend) {
    this.backend = {
      get: async (key, options) => {
        const result = await backend.get(key, options)
        if (result.entry) this.#note(result.entry)
        return result
      },
      list: async (range, options) => {
        const page = await backend.list(range, options)
        for (const entry of page.entries) this.#note(entry)
        return page
      },
      watch: (range, after, options) => this.#watch(backend, range, after, options),
      commit: (transaction) => backend.commit(transaction),
      grantLease: (seconds) => backend.grantLease(seconds),
      requestProgress: () => backend.requestProgress(),
      checkHealth: () => backend.checkHealth(),
      [Symbol.asyncDispose]: async () => {},
    }
  }

  findEntry(object: StoredObject): Entry {
    return this.#entries.get(object.body)!
  }

  *messagesOf(batch: ObjectEvents): Generator<WatchMessage> {
    const changes: Change[] = []
    let revision = 0
    for (const event of batch) {
      if (event.type === 'BOOKMARK') continue
      revision = event.object.revision
      changes.push(this.#createChange(event.type, event.object))
    }
    if (changes.length > 0) yield { type: 'changes', changes, revision }
    for (const event of batch) if (event.type === 'BOOKMARK') yield { type: 'progress', revision: event.revision }
  }

  #createChange(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: StoredObject): Change {
    const entry = this.findEntry(object)
    if (type === 'DELETED') return { type: 'delete', key: object.key, revision: object.revision, previous: entry }
    // Uses the type and the revision of the event, so that the checker tests the event and not the entry.
    const createRevision = type === 'ADDED' ? object.revision : entry.createRevision === entry.modRevision ? 0 : entry.createRevision
    return { type: 'put', entry: { ...entry, modRevision: object.revision, createRevision }, previous: this.#previous.get(object.body) }
  }

  async *#watch(backend: Backend, ...watch: Parameters<Backend['watch']>): AsyncGenerator<WatchMessage> {
    for await (const message of backend.watch(...watch)) {
      if (message.type === 'changes') {
        for (const change of message.changes) {
          if (change.previous) this.#note(change.previous)
          if (change.type !== 'put') continue
          this.#note(change.entry)
          this.#previous.set(change.entry.value, change.previous)
        }
      }
      yield message
    }
  }

  #note(entry: Entry): void {
    this.#entries.set(entry.value, entry)
  }
}
