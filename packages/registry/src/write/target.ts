import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { StorageError, checkPreconditions, isStorageError, isStoredObject } from '@keelson/storagebackend'
import type {
  CreateOptions,
  DefaultOnRead,
  DeleteObjectOptions,
  Storage,
  StoredObject,
  TryUpdate,
  UpdateOptions,
} from '@keelson/storagebackend'
import type { StoreParts } from '../store-parts.ts'

/** The result of a write: stored, or for a dry run the object that would be. */
export type Written<T extends KubeObject> = StoredObject<T> | T

export function readWritten<T extends KubeObject>(written: Written<T>): DeepReadonly<T> {
  return isStoredObject(written) ? written.object() : (written as DeepReadonly<T>)
}

/** The writing half of a storage; see `Storage` for the contract. */
export interface WriteTarget<T extends KubeObject> {
  create(key: string, object: T, options?: CreateOptions): Promise<Written<T>>
  guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options?: UpdateOptions<T>): Promise<Written<T>>
  delete(key: string, options?: DeleteObjectOptions<T>): Promise<Written<T>>
}

export function writeTarget<T extends KubeObject>(
  { storage, definition }: Pick<StoreParts<T>, 'storage' | 'definition'>,
  dryRun: boolean,
): WriteTarget<T> {
  return dryRun ? new DryRunTarget(storage, definition.storage?.defaultOnRead) : storage
}

/** Reads, checks and refuses like the storage, and writes nothing. */
class DryRunTarget<T extends KubeObject> implements WriteTarget<T> {
  readonly #storage: Storage<T>
  readonly #defaultOnRead: DefaultOnRead<T> | undefined

  constructor(storage: Storage<T>, defaultOnRead: DefaultOnRead<T> | undefined) {
    this.#storage = storage
    this.#defaultOnRead = defaultOnRead
  }

  async create(key: string, object: T): Promise<Written<T>> {
    if ((await this.#find(key)) !== undefined) throw new StorageError({ code: 'KeyExists', key })
    return this.#asRead(object)
  }

  async guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options: UpdateOptions<T> = {}): Promise<Written<T>> {
    const stored = await this.#find(key)
    if (stored === undefined && options.ignoreNotFound !== true) throw new StorageError({ code: 'KeyNotFound', key })
    checkPreconditions(key, stored?.object(), options.preconditions)
    const output = await tryUpdate(options.sharesCurrent === true ? (stored?.object() as T | undefined) : stored?.copy(), stored)
    if (output !== undefined) return this.#asRead(output.object)
    if (stored === undefined) throw new StorageError({ code: 'KeyNotFound', key })
    return stored
  }

  async delete(key: string, options: DeleteObjectOptions<T> = {}): Promise<Written<T>> {
    const stored = await this.#storage.get(key)
    checkPreconditions(key, stored.object(), options.preconditions)
    await options.validate?.(stored.object())
    return stored
  }

  #asRead(object: T): T {
    if (this.#defaultOnRead?.isDue(object as DeepReadonly<T>) === true) this.#defaultOnRead.fill(object)
    return object
  }

  async #find(key: string): Promise<StoredObject<T> | undefined> {
    try {
      return await this.#storage.get(key)
    } catch (error) {
      if (isStorageError(error) && error.code === 'KeyNotFound') return undefined
      throw error
    }
  }
}
