import { runAfter, waitForNextTurn } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { OpenWatches, encodeContinue, createMatcher, prepareKey } from '@keelson/storagebackend'
import type {
  CreateOptions,
  DeleteObjectOptions,
  GetOptions,
  ListObjectsOptions,
  ObjectList,
  ObjectWatch,
  Revision,
  Storage,
  StorageStats,
  StoredObject,
  TracedOptions,
  TryUpdate,
  UpdateOptions,
  WatchObjectsOptions,
} from '@keelson/storagebackend'
import { ConvertedWatch, mapWatch } from './converted-watch.ts'
import type { ConversionCaller } from './object-converter.ts'
import { unwrapConversion } from './version-view.ts'
import type { Presented, VersionView } from './version-view.ts'

export interface ConvertedStorageOptions<T extends KubeObject> {
  /** The storage of the stored objects, which several versions share. `close` does not close it. */
  readonly storage: Storage<T>
  /** The prefix of all keys of the resource: "/registry/example.com/widgets/". */
  readonly prefix: string
  readonly view: VersionView<T>
}

/** The maximum number of objects that are converted at once. */
const chunkSize = 100
const maxFetch = 10_000

/**
 * Presents the objects of a storage in another version of their custom resource. Writes are converted to the version in which objects are
 * stored. Revisions, the order of events and preconditions are those of the storage. Errors of conversions are `StorageError`s with the
 * code `ConversionFailed`.
 */
export class ConvertedStorage<T extends KubeObject> implements Storage<T> {
  readonly #storage: Storage<T>
  readonly #prefix: string
  readonly #view: VersionView<T>
  readonly #watches = new OpenWatches()

  constructor({ storage, prefix, view }: ConvertedStorageOptions<T>) {
    this.#storage = storage
    this.#prefix = prefix
    this.#view = view
  }

  async create(key: string, object: T, options: CreateOptions = {}): Promise<StoredObject<T>> {
    return this.#presentWritten(await this.#storage.create(key, await this.#toStored(object, key, options), options), options)
  }

  async get(key: string, options: GetOptions = {}): Promise<StoredObject<T>> {
    const stored = await this.#storage.get(key, options)
    return this.#present(stored, options)
  }

  async list(key: string, options: ListObjectsOptions = {}): Promise<ObjectList<T>> {
    if (this.#view.isImmediate) {
      const list = await this.#storage.list(key, options)
      return { ...list, items: this.#presentEach(list.items) }
    }
    const { predicate, ...rest } = options
    const matches = createMatcher(predicate)
    if (matches !== undefined && (options.limit ?? 0) > 0) return this.#listPage(key, rest, matches)
    const list = await this.#storage.list(key, rest)
    const items: StoredObject<T>[] = []
    for await (const each of this.#presentAll(list.items, options)) if (matches?.(each) ?? true) items.push(each)
    return { ...list, items }
  }

  async watch(key: string, options: WatchObjectsOptions): Promise<ObjectWatch<T>> {
    const view = this.#view
    const signal = this.#watches.untilClosed(options.signal)
    if (view.isImmediate) return mapWatch(await this.#storage.watch(key, { ...options, signal }), (stored) => this.#presentNow(stored))
    const { predicate, ...rest } = options
    const matches = createMatcher(predicate)
    const watch = await this.#storage.watch(key, { ...rest, ...(matches && { withPrevious: true }), signal })
    return new ConvertedWatch(watch, { view, matches, signal })
  }

  async guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options: UpdateOptions<T> = {}): Promise<StoredObject<T>> {
    const { suggestion, sharesCurrent = false, ...rest } = options
    let current: StoredObject<T> | undefined
    const written = await this.#storage.guaranteedUpdate(
      key,
      async (_object, stored) => {
        current = stored && (await this.#presentOr(suggestion, stored, options))
        const output = await tryUpdate(sharesCurrent ? (current?.object() as T | undefined) : current?.copy(), current)
        return output && { ...output, object: await this.#toStored(output.object, key, options) }
      },
      { ...rest, sharesCurrent: true },
    )
    return current?.revision === written.revision ? current : this.#presentWritten(written, options)
  }

  async delete(key: string, options: DeleteObjectOptions<T> = {}): Promise<StoredObject<T>> {
    const { suggestion, validate, ...rest } = options
    let last: { readonly stored: StoredObject<T>; readonly presented: StoredObject<T> } | undefined
    const deleted = await this.#storage.delete(key, {
      ...rest,
      // The object is converted before it is deleted, so that nothing is deleted if the conversion fails.
      validate: async (_object, stored) => {
        const presented = await this.#presentOr(suggestion, stored, options)
        last = { stored, presented }
        await validate?.(presented.object(), presented)
      },
    })
    if (last === undefined || last.presented === last.stored) return deleted
    const { codec } = this.#view
    return codec.open(key, codec.encode(last.presented.copy(), key), deleted.revision)
  }

  deleteUnreadable(key: string, options?: { readonly signal?: AbortSignal }): Promise<Revision> {
    return this.#storage.deleteUnreadable(key, options)
  }

  count(key: string): Promise<number> {
    return this.#storage.count(key)
  }

  measureStats(): Promise<StorageStats> {
    return this.#storage.measureStats()
  }

  getCurrentRevision(options?: TracedOptions): Promise<Revision> {
    return this.#storage.getCurrentRevision(options)
  }

  checkReady(): Promise<void> {
    return this.#storage.checkReady()
  }

  /** Ends the watches of this version. Other versions share the storage, so it stays open. */
  async close(): Promise<void> {
    this.#watches.endAll()
  }

  /**
   * Lists a page of the objects that match a selector in the presented version. The number of objects to read is not known before they are
   * converted, so the storage is read by pages until this page is full.
   */
  async #listPage(
    key: string,
    options: Omit<ListObjectsOptions, 'predicate'>,
    matches: (object: StoredObject) => boolean,
  ): Promise<ObjectList<T>> {
    const { recursive = true, signal } = options
    const prefix = prepareKey(this.#prefix, key, recursive)
    const limit = options.limit!
    const items: StoredObject<T>[] = []
    let page = await this.#storage.list(key, options)
    const { revision } = page
    for (let fetch = limit; ;) {
      const stored = [...page.items]
      let read = 0
      for await (const each of this.#presentAll(stored, options, Math.min(chunkSize, limit))) {
        read++
        if (matches(each)) items.push(each)
        if (items.length === limit) break
      }
      const isLast = read === stored.length && page.continue === ''
      if (isLast || items.length === limit) {
        const position = isLast ? '' : encodeContinue(`${stored[read - 1]!.key}\0`, prefix, revision)
        return { revision, continue: position, remainingItemCount: undefined, items }
      }
      fetch = Math.min(fetch * 2, maxFetch)
      page = await this.#storage.list(key, { limit: fetch, continue: page.continue, recursive, ...(signal && { signal }) })
    }
  }

  /** Presents objects in chunks. */
  async *#presentAll(
    stored: Iterable<StoredObject<T>>,
    caller: ConversionCaller | undefined,
    size: number = chunkSize,
  ): AsyncGenerator<StoredObject<T>, undefined> {
    for (const chunk of splitIntoChunks(stored, size)) {
      const presented = await this.#view.present(chunk, caller)
      for (const [i, each] of presented.entries()) yield unwrapConversion(each, chunk[i]!.key)
    }
  }

  *#presentEach(stored: Iterable<StoredObject<T>>): Generator<StoredObject<T>, undefined> {
    for (const each of stored) yield this.#presentNow(each)
  }

  /** Presents an object with an immediate view. */
  #presentNow(stored: StoredObject<T>): StoredObject<T> {
    return unwrapConversion((this.#view.present([stored], undefined) as readonly Presented<T>[])[0]!, stored.key)
  }

  #present(stored: StoredObject<T>, caller: ConversionCaller | undefined): StoredObject<T> | Promise<StoredObject<T>> {
    return runAfter(this.#view.present([stored], caller), ([presented]) => unwrapConversion(presented!, stored.key))
  }

  /**
   * Presents the result of a write. A watch cache over this storage converts the event of the write, and its call of the webhook goes first.
   * So lists that follow the response find the new object in the cache.
   */
  async #presentWritten(written: StoredObject<T>, caller: ConversionCaller | undefined): Promise<StoredObject<T>> {
    if (!this.#view.isImmediate) await waitForNextTurn()
    return this.#present(written, caller)
  }

  /** Returns the suggestion if it is the converted form of this stored object, which saves a conversion. */
  #presentOr(
    suggestion: StoredObject<T> | undefined,
    stored: StoredObject<T>,
    caller: ConversionCaller | undefined,
  ): StoredObject<T> | Promise<StoredObject<T>> {
    return suggestion?.revision === stored.revision && !this.#view.isImmediate ? suggestion : this.#present(stored, caller)
  }

  async #toStored(object: T, key: string, caller: ConversionCaller | undefined): Promise<T> {
    return unwrapConversion(await this.#view.toStored(object, key, caller), key)
  }
}

function* splitIntoChunks<V>(values: Iterable<V>, size: number): Generator<readonly V[], undefined> {
  let chunk: V[] = []
  for (const value of values) {
    chunk.push(value)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
