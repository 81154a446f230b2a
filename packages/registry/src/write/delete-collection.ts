import { appendAll, isApiError } from '@keelson/apimachinery'
import type { KubeObject, RequestContext } from '@keelson/apimachinery'
import type { StoredObject } from '@keelson/storagebackend'
import type { AdmissionTurn } from './admission.ts'
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
  let lastTurn: OrderedTurn | undefined
  const failures: unknown[] = []
  const hasFailed = (): boolean => failures.length > 0
  const deleteItems = async (): Promise<void> => {
    while (nextIndex < batch.length && !hasFailed()) {
      const item = batch[nextIndex++]!
      const turn = (lastTurn = new OrderedTurn(lastTurn, hasFailed))
      try {
        await deleteOne(dependencies, context, { ...request, turn }, item)
      } catch (error) {
        failures.push(error)
      }
      turn.end()
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.min(dependencies.deleteCollectionWorkers, batch.length)) }, deleteItems))
  if (failures.length > 0) throw failures[0]
}

/** A turn that comes when the turn before it has ended. Each object has its own, in the order of the list. */
class OrderedTurn implements AdmissionTurn {
  readonly #hasFailed: () => boolean
  /** Settles when the earlier turn has ended. Undefined if there is none any more. */
  #earlier: Promise<void> | undefined
  readonly #ended: Promise<void>
  #resolve: () => void = () => {}

  constructor(earlier: OrderedTurn | undefined, hasFailed: () => boolean) {
    this.#hasFailed = hasFailed
    this.#earlier = earlier === undefined ? undefined : earlier.#ended
    this.#ended = new Promise((resolve) => (this.#resolve = resolve))
  }

  async begin(): Promise<void> {
    if (this.#earlier !== undefined) await this.#earlier
    this.#earlier = undefined
    if (this.#hasFailed()) throw new Error('an earlier object of the collection could not be deleted')
  }

  end(): void {
    // The delete may have ended before admission.
    if (this.#earlier === undefined) this.#resolve()
    else void this.#earlier.then(this.#resolve)
  }
}

async function deleteOne<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  request: DeleteRequest & { readonly turn: AdmissionTurn },
  item: StoredObject<T>,
): Promise<void> {
  const itemContext = context.namespace === '' ? withNamespace(context, item.field('metadata.namespace')) : context
  try {
    await deleteObject(dependencies, itemContext, item.field('metadata.name'), request)
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error
  }
}

function withNamespace(context: RequestContext, namespace: string): RequestContext {
  const { user, attributes, signal, deadline, userAgent, fieldManager, requestId, span } = context
  return {
    user,
    attributes,
    namespace,
    signal,
    deadline,
    userAgent,
    fieldManager,
    requestId,
    span,
    warn: (text) => context.warn(text),
    annotate: (key, value, level) => context.annotate?.(key, value, level),
    excludeLatency: (layer, milliseconds) => context.excludeLatency?.(layer, milliseconds),
    ...(context.addLatency !== undefined && { addLatency: (layer, milliseconds) => context.addLatency?.(layer, milliseconds) }),
  }
}
