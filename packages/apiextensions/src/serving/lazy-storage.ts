import type { KubeObject } from '@keelson/apimachinery'
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
  TryUpdate,
  UpdateOptions,
  WatchObjectsOptions,
} from '@keelson/storagebackend'

/**
 * A storage that is created on first use, so that a definition without requests has no watch cache. Requests wait for `prepare` before. Closing
 * it has no effect, because the created storage may be shared.
 */
export class LazyStorage<T extends KubeObject = KubeObject> implements Storage<T> {
  readonly #create: () => Storage<T>
  readonly #prepare: () => Promise<void> | undefined
  #storage: Storage<T> | undefined

  constructor(create: () => Storage<T>, prepare: () => Promise<void> | undefined) {
    this.#create = create
    this.#prepare = prepare
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

  count(key: string): Promise<number> {
    return this.#use((storage) => storage.count(key))
  }

  stats(): Promise<StorageStats> {
    return this.#use((storage) => storage.stats())
  }

  currentRevision(): Promise<Revision> {
    return this.#use((storage) => storage.currentRevision())
  }

  /** A storage that is not created yet is ready. */
  async checkReady(): Promise<void> {
    await this.#storage?.checkReady()
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #use<Result>(run: (storage: Storage<T>) => Promise<Result>): Promise<Result> {
    if (this.#storage !== undefined) return run(this.#storage)
    const open = (): Promise<Result> => run((this.#storage ??= this.#create()))
    return this.#prepare()?.then(open) ?? open()
  }
}
