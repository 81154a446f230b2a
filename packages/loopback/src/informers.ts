import { groupResourceString } from '@keelson/apimachinery'
import type { Clock, DeepReadonly, KubeObject, GroupResource } from '@keelson/apimachinery'
import type { Predicate, StoredObject } from '@keelson/storagebackend'
import type { Informer, InformerEvent, LoopbackResource, LoopbackClient } from './client.ts'
import { followResource } from './follow-resource.ts'
import type { ObjectChange } from './follow-resource.ts'
import { ResourceMap } from './create-loopback-client.ts'

export interface InformerOptions {
  /** The namespace of the objects. Default: all namespaces. */
  readonly namespace?: string
  readonly predicate?: Predicate
  readonly clock?: Clock
  /** Called for every failed watch, and for every handler that throws. Default: errors are ignored. */
  readonly onError?: (error: unknown) => void
  /** Returns random numbers from 0 to 1, which vary the delays between retries. */
  readonly random?: () => number
}

/**
 * Creates an informer. It keeps a copy of all objects of the resource by following their changes. Objects that were deleted while the watch
 * was interrupted are reported as deleted.
 */
export function createInformer<T extends KubeObject>(resource: LoopbackResource<T>, options: InformerOptions = {}): Informer<T> {
  return new WatchingInformer(resource, options)
}

class WatchingInformer<T extends KubeObject> implements Informer<T> {
  readonly synced: Promise<void>
  hasSynced = false
  readonly #options: InformerOptions
  readonly #handlers = new Set<(event: InformerEvent<T>) => void>()
  readonly #index = new ObjectIndex<T>()
  readonly #stop = new AbortController()
  readonly #done: Promise<void>
  #markSynced: () => void = () => {}

  constructor(resource: LoopbackResource<T>, options: InformerOptions) {
    this.#options = options
    this.synced = new Promise((resolve) => {
      this.#markSynced = () => {
        this.hasSynced = true
        resolve()
      }
    })
    const sink = {
      replace: (objects: readonly StoredObject<T>[]) => this.#replace(objects),
      apply: (change: ObjectChange<T>) => this.#apply(change),
    }
    this.#done = followResource(resource, sink, { ...options, signal: this.#stop.signal })
  }

  get(namespace: string, name: string): DeepReadonly<T> | undefined {
    return this.#index.get(namespace, name)
  }

  list(namespace?: string): readonly DeepReadonly<T>[] {
    return this.#index.list(namespace)
  }

  subscribe(handler: (event: InformerEvent<T>) => void): () => void {
    this.#handlers.add(handler)
    for (const object of this.#index.list()) this.#notify(handler, { type: 'added', object })
    return () => this.#handlers.delete(handler)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#done
  }

  #apply({ type, object: stored }: ObjectChange<T>): void {
    const object = stored.object()
    if (type !== 'DELETED') this.#put(object)
    else if (this.#index.delete(object) !== undefined) this.#notifyAll({ type: 'deleted', object })
  }

  #put(object: DeepReadonly<T>): void {
    const old = this.#index.set(object)
    if (old === undefined) this.#notifyAll({ type: 'added', object })
    else if (old !== object) this.#notifyAll({ type: 'updated', object, old })
  }

  #replace(objects: readonly StoredObject<T>[]): void {
    const missing = new Set(this.#index.list())
    for (const stored of objects) {
      const object = stored.object()
      const old = this.#index.get(stored.field('metadata.namespace'), stored.field('metadata.name'))
      if (old !== undefined) missing.delete(old)
      if (old === undefined || readVersion(old) !== String(stored.revision)) this.#put(object)
    }
    for (const object of missing) {
      this.#index.delete(object)
      this.#notifyAll({ type: 'deleted', object })
    }
    this.#markSynced()
  }

  #notifyAll(event: InformerEvent<T>): void {
    for (const handler of this.#handlers) this.#notify(handler, event)
  }

  #notify(handler: (event: InformerEvent<T>) => void, event: InformerEvent<T>): void {
    try {
      handler(event)
    } catch (error) {
      this.#options.onError?.(error)
    }
  }
}

function readVersion<T extends KubeObject>(object: DeepReadonly<T>): string | undefined {
  return (object as DeepReadonly<KubeObject>).metadata.resourceVersion
}

/** An index of objects by namespace and name. */
class ObjectIndex<T extends KubeObject> {
  readonly #namespaces = new Map<string, Map<string, DeepReadonly<T>>>()

  get(namespace: string, name: string): DeepReadonly<T> | undefined {
    return this.#namespaces.get(namespace)?.get(name)
  }

  list(namespace?: string): DeepReadonly<T>[] {
    if (namespace !== undefined) return Array.from(this.#namespaces.get(namespace)?.values() ?? [])
    const selected: DeepReadonly<T>[] = []
    for (const objects of this.#namespaces.values()) for (const object of objects.values()) selected.push(object)
    return selected
  }

  /** Adds an object, and returns the version that it replaces. */
  set(object: DeepReadonly<T>): DeepReadonly<T> | undefined {
    const { namespace, name } = readKey(object)
    let objects = this.#namespaces.get(namespace)
    if (objects === undefined) this.#namespaces.set(namespace, (objects = new Map()))
    const old = objects.get(name)
    objects.set(name, object)
    return old
  }

  delete(object: DeepReadonly<T>): DeepReadonly<T> | undefined {
    const { namespace, name } = readKey(object)
    const objects = this.#namespaces.get(namespace)
    const old = objects?.get(name)
    objects?.delete(name)
    if (objects?.size === 0) this.#namespaces.delete(namespace)
    return old
  }
}

function readKey<T extends KubeObject>(object: DeepReadonly<T>): { namespace: string; name: string } {
  const { namespace = '', name = '' } = (object as DeepReadonly<KubeObject>).metadata
  return { namespace, name }
}

/**
 * Informers that several readers share, one for each resource. An informer starts when it is first requested. Disposing stops all
 * informers.
 */
export interface SharedInformers extends AsyncDisposable {
  /**
   * Returns the informer of a resource. Returns undefined if the server does not serve the resource. `version` selects a version as in
   * `LoopbackClient.resource`. Callers must not dispose the informer.
   */
  of<T extends KubeObject = KubeObject>(resource: GroupResource & { readonly version?: string }): Informer<T> | undefined
  /** Returns the informer of a resource if it was requested before. */
  find(resource: GroupResource): Informer<KubeObject> | undefined
  /** Returns the resources that have an informer which has not read its objects yet. */
  listUnsynced(): readonly string[]
  /** Stops the informers of a resource that is no longer served. Resolves when they have ended. */
  remove(resource: GroupResource): Promise<void>
}

/** Creates shared informers that read through a client. */
export function createSharedInformers(
  client: LoopbackClient,
  options: Omit<InformerOptions, 'namespace' | 'predicate'> = {},
): SharedInformers {
  /** The informers of each resource, by the verbs that they read with. */
  const started = new ResourceMap<Map<LoopbackResource, Informer<KubeObject>>>()
  return {
    of<T extends KubeObject>(resource: GroupResource & { readonly version?: string }) {
      const served = client.resource(resource)
      if (served === undefined) return undefined
      let versions = started.get(resource)
      if (versions === undefined) started.set(resource, (versions = new Map()))
      let informer = versions.get(served)
      if (informer === undefined) versions.set(served, (informer = createInformer(served, options)))
      return informer as unknown as Informer<T>
    },
    find: (resource) => started.get(resource)?.values().next().value,
    listUnsynced: () =>
      [...started.entries()]
        .filter(([, versions]) => [...versions.values()].some(({ hasSynced }) => !hasSynced))
        .map(([resource]) => groupResourceString(resource)),
    async remove(resource) {
      const versions = started.get(resource)
      started.delete(resource)
      await Promise.all(Array.from(versions?.values() ?? [], (informer) => informer[Symbol.asyncDispose]()))
    },
    async [Symbol.asyncDispose]() {
      const informers = Array.from(started.values(), (versions) => [...versions.values()]).flat()
      await Promise.all(informers.map((informer) => informer[Symbol.asyncDispose]()))
    },
  }
}
