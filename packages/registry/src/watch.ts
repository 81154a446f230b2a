import type { KubeObject, RequestContext } from '@keelson/apimachinery'
import type { ObjectEvents, ObjectWatch } from '@keelson/storagebackend'
import { scopeOf } from './keys.ts'
import type { WatchRequest } from './rest.ts'
import { qualifiedResource } from './store-parts.ts'
import type { StoreParts } from './store-parts.ts'
import { translateError } from './translate-error.ts'

export async function watch<T extends KubeObject>(
  parts: StoreParts<T>,
  context: RequestContext,
  request: WatchRequest,
  signal: AbortSignal,
): Promise<ObjectWatch<T>> {
  const { key, recursive } = scopeOf(parts.keys, context, request.predicate.fields)
  const resource = qualifiedResource(parts, context)
  const rethrow = (error: unknown): never => {
    throw translateError('watch', error, resource, '', request.resourceVersion)
  }
  return new TranslatedWatch(await parts.storage.watch(key, { ...request, recursive, signal }).catch(rethrow), rethrow)
}

/** A watch of a storage whose failures are API errors. */
class TranslatedWatch<T extends KubeObject> implements ObjectWatch<T> {
  readonly #watch: ObjectWatch<T>
  readonly #rethrow: (error: unknown) => never

  constructor(storageWatch: ObjectWatch<T>, rethrow: (error: unknown) => never) {
    this.#watch = storageWatch
    this.#rethrow = rethrow
  }

  forEach(read: (batch: ObjectEvents<T>) => Promise<void> | undefined): Promise<void> {
    return this.#watch.forEach(read).catch(this.#rethrow)
  }

  [Symbol.asyncIterator](): AsyncIterator<ObjectEvents<T>> {
    const batches = this.#watch[Symbol.asyncIterator]()
    return {
      next: () => batches.next().catch(this.#rethrow),
      return: () => batches.return?.() ?? Promise.resolve({ done: true, value: undefined }),
    }
  }
}
