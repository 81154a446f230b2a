import type { DeepReadonly, KubeObject, RequestContext } from '@keelson/apimachinery'
import { StorageError, checkPreconditions, isStorageError, isStoredObject } from '@keelson/storagebackend'
import type { CreateOptions, DeleteObjectOptions, Storage, StoredObject, TryUpdate, UpdateOptions } from '@keelson/storagebackend'
import type { StorageFacts } from '../resource-definition.ts'
import type { StoreDependencies } from '../store-dependencies.ts'

/** The result of a write: the stored object. For a dry run, the object that would be stored. */
export type Written<T extends KubeObject> = StoredObject<T> | T

/** Returns the decoded object of a write's result, for readers in the same process. */
export function readWritten<T extends KubeObject>(written: Written<T>): DeepReadonly<T> {
  return isStoredObject(written) ? written.object() : (written as DeepReadonly<T>)
}

/** The methods of a storage that write. See `Storage` for their contracts. */
interface WriteTarget<T extends KubeObject> {
  create(key: string, object: T, options?: CreateOptions): Promise<Written<T>>
  guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options?: UpdateOptions<T>): Promise<Written<T>>
  delete(key: string, options?: DeleteObjectOptions<T>): Promise<Written<T>>
}

/** Returns the storage for a write. For a dry run, returns a replacement that writes nothing. */
export function writeTarget<T extends KubeObject>(
  { storage, definition }: Pick<StoreDependencies<T>, 'storage' | 'definition'>,
  context: RequestContext,
  dryRun: boolean,
): WriteTarget<T> {
  const target = dryRun ? new DryRunTarget(storage, definition.storage) : storage
  return context.addLatency === undefined ? target : new MeasuredTarget(target, context)
}

/** Adds the time of the storage to the latencies of a request, without the time of the callbacks. */
class MeasuredTarget<T extends KubeObject> implements WriteTarget<T> {
  readonly #target: WriteTarget<T>
  readonly #context: RequestContext

  constructor(target: WriteTarget<T>, context: RequestContext) {
    this.#target = target
    this.#context = context
  }

  create(key: string, object: T, options?: CreateOptions): Promise<Written<T>> {
    return this.#measure(() => this.#target.create(key, object, options))
  }

  guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options?: UpdateOptions<T>): Promise<Written<T>> {
    return this.#measure((exclude) =>
      this.#target.guaranteedUpdate(key, (current, stored) => exclude(async () => tryUpdate(current, stored)), options),
    )
  }

  delete(key: string, options: DeleteObjectOptions<T> = {}): Promise<Written<T>> {
    const { validate } = options
    if (validate === undefined) return this.#measure(() => this.#target.delete(key, options))
    return this.#measure((exclude) =>
      this.#target.delete(key, { ...options, validate: (object, stored) => exclude(async () => validate(object, stored)) }),
    )
  }

  /** Measures a call of the storage. `exclude` runs a callback whose time does not count. */
  async #measure<R>(call: (exclude: <C>(callback: () => Promise<C>) => Promise<C>) => Promise<R>): Promise<R> {
    const began = performance.now()
    let excluded = 0
    try {
      return await call(async (callback) => {
        const start = performance.now()
        try {
          return await callback()
        } finally {
          excluded += performance.now() - start
        }
      })
    } finally {
      this.#context.addLatency?.('etcd', performance.now() - began - excluded)
    }
  }
}

/** Replaces the storage in a dry run. It reads objects, checks preconditions and throws errors like the storage, but writes nothing. */
class DryRunTarget<T extends KubeObject> implements WriteTarget<T> {
  readonly #storage: Storage<T>
  readonly #facts: StorageFacts<T> | undefined

  constructor(storage: Storage<T>, facts: StorageFacts<T> | undefined) {
    this.#storage = storage
    this.#facts = facts
  }

  async create(key: string, object: T): Promise<Written<T>> {
    if ((await this.#find(key)) !== undefined) throw new StorageError({ code: 'KeyExists', key })
    return this.#convertOnRead(object)
  }

  async guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options: UpdateOptions<T> = {}): Promise<Written<T>> {
    const stored = await this.#find(key)
    if (stored === undefined && options.ignoreNotFound !== true) throw new StorageError({ code: 'KeyNotFound', key })
    checkPreconditions(key, stored?.object(), options.preconditions)
    const output = await tryUpdate(options.sharesCurrent === true ? (stored?.object() as T | undefined) : stored?.copy(), stored)
    if (output !== undefined) return this.#convertOnRead(output.object)
    if (stored === undefined) throw new StorageError({ code: 'KeyNotFound', key })
    return stored
  }

  async delete(key: string, options: DeleteObjectOptions<T> = {}): Promise<Written<T>> {
    const stored = await this.#storage.get(key)
    checkPreconditions(key, stored.object(), options.preconditions)
    await options.validate?.(stored.object(), stored)
    return stored
  }

  #convertOnRead(object: T): T | Promise<T> {
    const { convertOnRead, defaultOnRead } = this.#facts ?? {}
    if (convertOnRead !== undefined) return convertOnRead(object)
    if (defaultOnRead?.isDue(object as DeepReadonly<T>) === true) defaultOnRead.fill(object)
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
