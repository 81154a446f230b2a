import type { KubeObject } from '@keelson/apimachinery'
import { createPrefixRange } from '@keelson/storagebackend'
import type {
  Backend,
  CreateOptions,
  DeleteObjectOptions,
  FirstObject,
  FirstObjectOptions,
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

export interface LazyStorageOptions<T extends KubeObject> {
  readonly create: () => Storage<T>
  /** Returns a promise if requests must wait before the storage is created. Default: they do not wait. */
  readonly prepare?: () => Promise<void> | undefined
  /** Whether closing also closes the created storage. Default: false, because it may be shared. */
  readonly closesStorage?: boolean
  readonly backend: Backend
  /** Prefix of the keys of all objects. */
  readonly prefix: string
}

/**
 * A storage that is created by the first request other than `count`, so that a resource without requests has no watch cache. Requests wait for
 * `prepare` before.
 */
export class LazyStorage<T extends KubeObject = KubeObject> implements Storage<T>, FirstObject {
  readonly #options: LazyStorageOptions<T>
  #storage: Storage<T> | undefined
  #isClosed = false

  constructor(options: LazyStorageOptions<T>) {
    this.#options = options
  }

  async waitForFirstObject({ signal, onEmpty }: FirstObjectOptions): Promise<void> {
    if (this.#storage !== undefined) return
    const { backend, prefix } = this.#options
    const range = createPrefixRange(prefix)
    const { count, revision } = await backend.list(range, { countOnly: true, signal })
    if (count > 0) return
    onEmpty()
    for await (const { type } of backend.watch(range, revision, { signal })) if (type === 'changes') return
  }

  create(key: string, object: T, options?: CreateOptions): Promise<StoredObject<T>> {
    return this.#use((storage) => storage.create(key, object, options))
  }

  get(key: string, options?: GetOptions): Promise<StoredObject<T>> {
    return this.#use((storage) => storage.get(key, options))
  }

  list(key: string, options?: ListObjectsOptions): Promise<ObjectList<T>> {
    return this.#use((storage) => storage.list(key, options))
  }

  watch(key: string, options: WatchObjectsOptions): Promise<ObjectWatch<T>> {
    return this.#use((storage) => storage.watch(key, options))
  }

  guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options?: UpdateOptions<T>): Promise<StoredObject<T>> {
    return this.#use((storage) => storage.guaranteedUpdate(key, tryUpdate, options))
  }

  delete(key: string, options?: DeleteObjectOptions<T>): Promise<StoredObject<T>> {
    return this.#use((storage) => storage.delete(key, options))
  }

  deleteUnreadable(key: string, options?: { readonly signal?: AbortSignal }): Promise<Revision> {
    return this.#use((storage) => storage.deleteUnreadable(key, options))
  }

  /**
   * Counts objects in the backend. Does not create the storage, so that a definition without objects can be deleted quickly. Does not ask the
   * watch cache of the storage, which may not have an object yet that was just created.
   */
  async count(key: string): Promise<number> {
    return (await this.#options.backend.list(createPrefixRange(key), { countOnly: true })).count
  }

  measureStats(): Promise<StorageStats> {
    return this.#use((storage) => storage.measureStats())
  }

  getCurrentRevision(options?: TracedOptions): Promise<Revision> {
    return this.#use((storage) => storage.getCurrentRevision(options))
  }

  /** A storage that is not created yet is ready. */
  async checkReady(): Promise<void> {
    await this.#storage?.checkReady()
  }

  async close(): Promise<void> {
    if (this.#options.closesStorage !== true) return
    this.#isClosed = true
    await this.#storage?.close()
  }

  #use<Result>(run: (storage: Storage<T>) => Promise<Result>): Promise<Result> {
    if (this.#storage !== undefined) return run(this.#storage)
    const open = (): Promise<Result> => run(this.#storage ?? this.#create())
    return this.#options.prepare?.()?.then(open) ?? open()
  }

  #create(): Storage<T> {
    const storage = (this.#storage = this.#options.create())
    if (this.#isClosed) void storage.close()
    return storage
  }
}
