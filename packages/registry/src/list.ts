import type { KubeObject, RequestContext } from '@keelson/apimachinery'
import type { ObjectList } from '@keelson/storagebackend'
import { scopeOf } from './keys.ts'
import type { ListRequest } from './rest.ts'
import { qualifiedResource } from './store-parts.ts'
import type { StoreParts } from './store-parts.ts'
import { translateError } from './translate-error.ts'

export async function list<T extends KubeObject>(
  parts: StoreParts<T>,
  context: RequestContext,
  request: ListRequest,
): Promise<ObjectList<T>> {
  const { key, recursive } = scopeOf(parts.keys, context, request.predicate.fields, request.continue !== '')
  try {
    return await parts.storage.list(key, { ...request, recursive, signal: context.signal })
  } catch (error) {
    throw translateError('list', error, qualifiedResource(parts, context), '', request.resourceVersion)
  }
}
