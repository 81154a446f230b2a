import { isApiError } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, RequestContext } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { Storage } from '@keelson/storagebackend'

/**
 * Ends what a begin hook started: `success` keeps what it took, false gives it back. Called at most once, and not at all when nobody knows
 * whether the write happened (the store became unreachable under it): then what was taken must stay taken. It must not throw.
 */
export type FinishHook = (success: boolean) => Promise<void> | void

export interface HookOptions {
  readonly dryRun: boolean
}

/**
 * What a resource does beside its own storage when its objects are written: services take addresses and ports from pools.
 * A begin hook runs before the strategy and validation, with name, uid and creation time in place on a create. It may change `object`,
 * and refuses by throwing an `ApiError`. It runs again, after the earlier one was finished with false, when a write lost its race.
 */
export interface StoreHooks<T extends KubeObject> {
  beginCreate?(context: RequestContext, object: T, options: HookOptions): Promise<FinishHook> | FinishHook
  /** Only for changes through the resource itself, not through its subresources. */
  beginUpdate?(context: RequestContext, object: T, old: DeepReadonly<T>, options: HookOptions): Promise<FinishHook> | FinishHook
  /** Once for each object that this store removed, by a delete or with its last finalizer. Never in a dry run. It must not throw. */
  afterDelete?(object: DeepReadonly<T>): Promise<void> | void
}

/** Made once for each store. The hooks may read `storage` (every key starts with `prefix`), and must not write to it. */
export type StoreHooksFactory<T extends KubeObject> = (storage: Storage<T>, prefix: string) => StoreHooks<T>

/** The hook that one write has begun, until it is finished. */
export class BegunHook {
  #finish: FinishHook | undefined

  /** There is something to finish. */
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

  /** When nothing was sent to the storage, or the storage refused it for another round. */
  async abandon(): Promise<void> {
    await this.#end(false)
  }

  async #end(success: boolean): Promise<void> {
    const finish = this.#finish
    this.#finish = undefined
    await finish?.(success)
  }
}

/** A failure that says that nothing was written. */
function isRefusal(error: unknown): boolean {
  if (isStorageError(error)) return error.code !== 'Unreachable'
  return isApiError(error) || (error instanceof Error && error.name === 'AbortError')
}
