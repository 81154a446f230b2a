import type { DeleteOptions, KubeObject, RequestContext } from '@keelson/apimachinery'
import { isStoredObject } from '@keelson/storagebackend'
import type { ObjectPreconditions } from '@keelson/storagebackend'
import type { DeleteRequest } from '../rest.ts'
import type { StoreParts } from '../store-parts.ts'
import type { Written } from './target.ts'

/** One DELETE, with all that belongs to it. `options` is its own copy: a strategy may set the grace period. */
export interface Deletion<T extends KubeObject> {
  readonly parts: StoreParts<T>
  readonly context: RequestContext
  readonly name: string
  readonly key: string
  readonly options: DeleteOptions
  readonly request: DeleteRequest
}

/** A resourceVersion that was asked for moved when the object was marked. */
export function preconditionsOf<T extends KubeObject>(
  { preconditions }: DeleteOptions,
  marked?: Written<T>,
): { preconditions: ObjectPreconditions } | undefined {
  if (preconditions === undefined) return undefined
  if (preconditions.resourceVersion === undefined || marked === undefined) return { preconditions }
  const resourceVersion = isStoredObject(marked) ? String(marked.revision) : (marked.metadata.resourceVersion ?? '')
  return { preconditions: { ...preconditions, resourceVersion } }
}
