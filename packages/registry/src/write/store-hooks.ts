import { isApiError } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, RequestContext } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { Storage } from '@keelson/storagebackend'

/**
 * Ends a begin hook: `success` keeps what the hook allocated, false releases it. Called at most once, and not at all if the outcome of the write
 * is unknown (the store became unreachable): the allocation must then stay. It must not throw.
 */
export type FinishHook = (success: boolean) => Promise<void> | void

export interface HookOptions {
  readonly dryRun: boolean
}

/**
 * Side effects of a resource's writes: services allocate addresses and ports from pools.
 * A begin hook runs before the strategy and validation; on a create, name, uid and creation time are already set. It may change `object`,
 * and throws an `ApiError` to refuse. After a lost race it is finished with false and runs again.
 */
export interface StoreHooks<T extends KubeObject> {
  beginCreate?(context: RequestContext, object: T, options: HookOptions): Promise<FinishHook> | FinishHook
  /** Only for changes through the resource itself, not through its subresources. */
  beginUpdate?(context: RequestContext, object: T, old: DeepReadonly<T>, options: HookOptions): Promise<FinishHook> | FinishHook
  /** Called once for each object that this store removed, by a delete or with its last finalizer. Never in a dry run. It must not throw. */
  afterDelete?(object: DeepReadonly<T>): Promise<void> | void
}

/** Called once for each store. The hooks may read `storage`, in which every key starts with `prefix`, and must not write to it. */
export type StoreHooksFactory<T extends KubeObject> = (storage: Storage<T>, prefix: string) => StoreHooks<T>

/** The begin hook of one write, until it is finished. */
export class BegunHook {
  #finish: FinishHook | undefined

  /** A hook has begun and is not finished yet. */
  get begun(): boolean {
    return this.#finish !== undefined
  }

  async begin(start: () => Promise<FinishHook> | FinishHook): Promise<void> {
    this.#finish = await start()
  }

  async succeed(): Promise<void> {
    await this.#end(true)
  }

  async fail(error: unknown): Promise<void> {
    if (isRefusal(error)) await this.#end(false)
    else this.#finish = undefined
  }

  /** Nothing was sent to the storage, or the storage starts another round. */
  async abandon(): Promise<void> {
    await this.#end(false)
  }

  async #end(success: boolean): Promise<void> {
    const finish = this.#finish
    this.#finish = undefined
    await finish?.(success)
  }
}

/** The failure proves that nothing was written. */
function isRefusal(error: unknown): boolean {
  if (isStorageError(error)) return error.code !== 'Unreachable'
  return isApiError(error) || (error instanceof Error && error.name === 'AbortError')
}
