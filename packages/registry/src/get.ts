import type { KubeObject, RequestContext } from '@keelson/apimachinery'
import type { GetOptions, StoredObject } from '@keelson/storagebackend'
import type { GetRequest } from './rest.ts'
import { qualifiedResource } from './store-parts.ts'
import type { StoreParts } from './store-parts.ts'
import { translateError } from './translate-error.ts'

export async function get<T extends KubeObject>(
  parts: StoreParts<T>,
  context: RequestContext,
  name: string,
  { resourceVersion = '' }: GetRequest,
): Promise<StoredObject<T>> {
  const key = parts.keys.key(context, name)
  try {
    return await parts.storage.get(key, new Reading(context, resourceVersion))
  } catch (error) {
    throw translateError('get', error, qualifiedResource(parts, context), name, resourceVersion)
  }
}

/** Reads the request's signal as late as possible: reading creates it, and most reads need none. */
class Reading implements GetOptions {
  readonly resourceVersion: string
  readonly #context: RequestContext

  constructor(context: RequestContext, resourceVersion: string) {
    this.#context = context
    this.resourceVersion = resourceVersion
  }

  get signal(): AbortSignal {
    return this.#context.signal
  }

  get aborted(): boolean {
    return this.#context.aborted ?? this.#context.signal.aborted
  }
}
