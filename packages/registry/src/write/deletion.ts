import type { DeleteOptions, KubeObject, RequestContext } from '@keelson/apimachinery'
import { isStoredObject } from '@keelson/storagebackend'
import type { ObjectPreconditions } from '@keelson/storagebackend'
import type { DeleteRequest } from '../rest.ts'
import type { StoreParts } from '../store-parts.ts'
import type { Written } from './target.ts'

/** One DELETE, with everything that belongs to it. `options` is its own copy: a strategy may set the grace period. */
export interface Deletion<T extends KubeObject> {
  readonly parts: StoreParts<T>
  readonly context: RequestContext
  readonly name: string
  readonly key: string
  readonly options: DeleteOptions
  readonly request: DeleteRequest
}

/** Marking the object changed its version, so a resourceVersion in the preconditions moves along. */
export function preconditionsOf<T extends KubeObject>(
  { preconditions }: DeleteOptions,
  marked?: Written<T>,
): { preconditions: ObjectPreconditions } | undefined {
  if (preconditions === undefined) return undefined
  if (preconditions.resourceVersion === undefined || marked === undefined) return { preconditions }
  const resourceVersion = isStoredObject(marked) ? String(marked.revision) : (marked.metadata.resourceVersion ?? '')
  return { preconditions: { ...preconditions, resourceVersion } }
}
