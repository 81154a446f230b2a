import { copyObject } from '@keelson/apimachinery'
import type { KubeObject, RequestContext, Span } from '@keelson/apimachinery'
import type { GetOptions, StoredObject, ObjectList, ObjectEvents, ObjectWatch } from '@keelson/storagebackend'
import type { GetRequest, ListRequest, WatchRequest, ExportRequest, RestResult } from './rest.ts'
import { qualifyResource, readRange } from './store-dependencies.ts'
import type { StoreDependencies } from './store-dependencies.ts'
import { translateError } from './translate-error.ts'
import { readResult } from './rest.ts'

/** Reads one object. */
export async function get<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  name: string,
  { resourceVersion = '' }: GetRequest,
): Promise<StoredObject<T>> {
  const key = dependencies.keys.createKey(context, name)
  const began = context.addLatency === undefined ? 0 : performance.now()
  try {
    return await dependencies.storage.get(key, new LazyGetOptions(context, resourceVersion))
  } catch (error) {
    throw translateError('get', error, qualifyResource(dependencies, context), name, resourceVersion)
  } finally {
    context.addLatency?.('etcd', performance.now() - began)
  }
}

/** Options of a read that get the request's abort signal lazily. Creating the signal costs time, and most reads do not use it. */
class LazyGetOptions implements GetOptions {
  readonly resourceVersion: string
  readonly #context: RequestContext

  constructor(context: RequestContext, resourceVersion: string) {
    this.#context = context
    this.resourceVersion = resourceVersion
  }

  get span(): Span | undefined {
    return this.#context.span
  }

  get signal(): AbortSignal {
    return this.#context.signal
  }

  get aborted(): boolean {
    return this.#context.aborted ?? this.#context.signal.aborted
  }
}

/** Lists the objects in the context's namespace, or in all namespaces. */
export async function list<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  request: ListRequest,
): Promise<ObjectList<T>> {
  const { key, recursive } = readRange(dependencies.keys, context, request.predicate.fields, request.continue !== '')
  const began = performance.now()
  try {
    return await dependencies.storage.list(key, { ...request, recursive, signal: context.signal, span: context.span })
  } catch (error) {
    throw translateError('list', error, qualifyResource(dependencies, context), '', request.resourceVersion)
  } finally {
    context.addLatency?.('etcd', performance.now() - began)
  }
}

/** Watches the objects in the context's namespace, or in all namespaces. */
export async function watch<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  request: WatchRequest,
  signal: AbortSignal,
): Promise<ObjectWatch<T>> {
  const { key, recursive } = readRange(dependencies.keys, context, request.predicate.fields)
  const resource = qualifyResource(dependencies, context)
  const rethrow = (error: unknown): never => {
    throw translateError('watch', error, resource, '', request.resourceVersion)
  }
  const options = { ...request, recursive, signal, onInitialized: context.watchInitialized, span: context.span }
  return new TranslatedWatch(await dependencies.storage.watch(key, options).catch(rethrow), rethrow)
}

/** A watch that translates storage errors to API errors. */
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

/**
 * Returns a copy of the object for creating it in another cluster, without status and cluster-specific fields. kube-apiserver has removed
 * this feature, but clients that copy objects between clusters still use it.
 */
export function exportObject<T extends KubeObject>(
  { definition, gvk }: Pick<StoreDependencies<T>, 'definition' | 'gvk'>,
  context: RequestContext,
  result: RestResult,
  { exact }: ExportRequest,
): KubeObject {
  const object = copyObject(readResult<T>(result)) as T
  const { metadata } = object
  for (const member of ofThisCluster) delete metadata[member]
  if (!exact) {
    delete metadata.namespace
    if (metadata.generateName) delete metadata.name
  }
  definition.strategy.prepareForCreate?.(context, object)
  definition.strategy.prepareForExport?.(object, exact)
  return { ...object, kind: gvk.kind, apiVersion: gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}` }
}

const ofThisCluster = [
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
] as const
