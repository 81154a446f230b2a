import type { KubeObject, RequestContext } from '@keelson/apimachinery'
import type { StoredObject } from '@keelson/storagebackend'
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
    return await parts.storage.get(key, { resourceVersion, signal: context.signal })
  } catch (error) {
    throw translateError('get', error, qualifiedResource(parts, context), name)
  }
}
