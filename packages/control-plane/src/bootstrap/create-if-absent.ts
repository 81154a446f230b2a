import { isApiError } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { LoopbackResource } from '@keelson/loopback'

/** Creates an object. Returns false if it already exists, for example because another server created it first. */
export async function createIfAbsent<T extends KubeObject>(resource: LoopbackResource<T>, namespace: string, object: T): Promise<boolean> {
  if ((await resource.get(namespace, object.metadata.name ?? '')) !== undefined) return false
  try {
    await resource.create(namespace, object)
    return true
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) return false
    throw error
  }
}
