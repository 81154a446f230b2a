import { appendAll, isApiError } from '@keelson/apimachinery'
import type { KubeObject, RequestContext } from '@keelson/apimachinery'
import type { StoredObject } from '@keelson/storagebackend'
import { deleteObject } from './delete.ts'
import { list } from '../read.ts'
import type { DeleteRequest, ListRequest } from '../rest.ts'
import type { StoreDependencies } from '../store-dependencies.ts'

const pageSize = 10_000

/** The objects that a deletecollection has deleted. */
export interface DeletedCollection<T extends KubeObject> {
  readonly items: readonly StoredObject<T>[]
  /** The revision at which the objects were listed. */
  readonly revision: number
  /** The continue token for the next page, if the request has a limit. */
  readonly continue?: string
  readonly remainingItemCount?: number | undefined
}

/**
 * Deletes the objects that a list selects, page by page and several at a time, and returns them. The deletion is not atomic: after a
 * failure some objects are deleted and others are not. Objects that another client deletes at the same time count as deleted.
 */
export async function deleteCollection<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  request: DeleteRequest,
  listRequest: ListRequest,
): Promise<DeletedCollection<T>> {
  const items: StoredObject<T>[] = []
  let revision: number | undefined
  const limit = listRequest.limit > 0 ? listRequest.limit : pageSize
  let page: ListRequest = { ...listRequest, limit }
  for (;;) {
    context.signal.throwIfAborted()
    const objectList = await list(dependencies, context, page)
    const batch = [...objectList.items]
    const first: number = revision ?? objectList.revision
    revision = first
    appendAll(items, batch)
    await deleteAll(dependencies, context, request, batch)
    // A request with a limit deletes only one page.
    if (listRequest.limit > 0)
      return { items, revision: first, continue: objectList.continue, remainingItemCount: objectList.remainingItemCount }
    if (objectList.continue === '') return { items, revision: first }
    page = { ...listRequest, limit, continue: objectList.continue, resourceVersion: '', resourceVersionMatch: undefined }
  }
}

async function deleteAll<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  request: DeleteRequest,
  batch: readonly StoredObject<T>[],
): Promise<void> {
  let nextIndex = 0
  const failures: unknown[] = []
  const deleteItems = async (): Promise<void> => {
    while (nextIndex < batch.length && failures.length === 0) {
      const item = batch[nextIndex++]!
      try {
        await deleteOne(dependencies, context, request, item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.min(dependencies.deleteCollectionWorkers, batch.length)) }, deleteItems))
  if (failures.length > 0) throw failures[0]
}

async function deleteOne<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  request: DeleteRequest,
  item: StoredObject<T>,
): Promise<void> {
  const itemContext = context.namespace === '' ? withNamespace(context, item.field('metadata.namespace')) : context
  try {
    await deleteObject(dependencies, itemContext, item.field('metadata.name'), { ...request, inCollection: true })
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error
  }
}

function withNamespace(context: RequestContext, namespace: string): RequestContext {
  const { user, info, signal, deadline, userAgent, fieldManager, requestId } = context
  return {
    user,
    info,
    namespace,
    signal,
    deadline,
    userAgent,
    fieldManager,
    requestId,
    warn: (text) => context.warn(text),
    annotate: (key, value, level) => context.annotate?.(key, value, level),
  }
}
