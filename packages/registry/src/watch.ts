import type { KubeObject, RequestContext } from '@keelson/apimachinery'
import type { ObjectWatch } from '@keelson/storagebackend'
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
  try {
    return await parts.storage.watch(key, { ...request, recursive, signal })
  } catch (error) {
    throw translateError('watch', error, qualifiedResource(parts, context), '')
  }
}
