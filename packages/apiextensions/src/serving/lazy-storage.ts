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
 * A storage that is created on first use, so that a definition without requests has no watch cache. Closing it has no effect, because the
 * created storage may be shared.
 */
export class LazyStorage<T extends KubeObject = KubeObject> implements Storage<T> {
  readonly #create: () => Storage<T>
  #storage: Storage<T> | undefined

  constructor(create: () => Storage<T>) {
    this.#create = create
  }

  create(key: string, object: T, options?: CreateOptions): Promise<StoredObject<T>> {
    return this.#get().create(key, object, options)
  }

  get(key: string, options?: GetOptions): Promise<StoredObject<T>> {
    return this.#get().get(key, options)
  }

  list(key: string, options?: ListObjectsOptions): Promise<ObjectList<T>> {
    return this.#get().list(key, options)
  }

  watch(key: string, options: WatchObjectsOptions): Promise<ObjectWatch<T>> {
    return this.#get().watch(key, options)
  }

  guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options?: UpdateOptions<T>): Promise<StoredObject<T>> {
    return this.#get().guaranteedUpdate(key, tryUpdate, options)
  }

  delete(key: string, options?: DeleteObjectOptions<T>): Promise<StoredObject<T>> {
    return this.#get().delete(key, options)
  }

  deleteUnreadable(key: string, options?: { readonly signal?: AbortSignal }): Promise<Revision> {
    return this.#get().deleteUnreadable(key, options)
  }

  count(key: string): Promise<number> {
    return this.#get().count(key)
  }

  stats(): Promise<StorageStats> {
    return this.#get().stats()
  }

  currentRevision(): Promise<Revision> {
    return this.#get().currentRevision()
  }

  /** A storage that is not created yet is ready. */
  async checkReady(): Promise<void> {
    await this.#storage?.checkReady()
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #get(): Storage<T> {
    return (this.#storage ??= this.#create())
  }
}
