import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
import { followResource } from '@keelson/loopback'
import type { LoopbackClient, LoopbackResource, ObjectChange } from '@keelson/loopback'
import type { StoredObject } from '@keelson/storagebackend'

export interface CachedObjectsOptions {
  readonly client: LoopbackClient
  readonly resource: GroupResource
  readonly onError: (error: unknown) => void
  /** Called with the name of each object that is written or deleted. */
  readonly onChange?: (name: string) => void
}

/** A cache of all objects of a resource. A watch, which starts on first use, keeps it current. Objects are decoded on access. */
export class CachedObjects<T extends KubeObject> implements AsyncDisposable {
  readonly #options: CachedObjectsOptions
  readonly #objects = new Map<string, StoredObject<T>>()
  readonly #stop = new AbortController()
  #following: Promise<void> | undefined
  #markSynced: () => void = () => {}
  readonly #synced = new Promise<void>((resolve) => (this.#markSynced = resolve))

  constructor(options: CachedObjectsOptions) {
    this.#options = options
  }

  /** Returns the client of the resource. Throws if the resource is not served. */
  get api(): LoopbackResource<T> {
    const { client, resource } = this.#options
    const api = client.resource<T>(resource)
    if (api === undefined) throw new Error(`services require the resource ${resource.resource}, which is not served`)
    return api
  }

  /** Resolves after the initial list. Callers must await this before they read the cache. */
  synced(): Promise<void> {
    this.#following ??= followResource<T>(
      this.api,
      { replace: (objects) => this.#replace(objects), apply: (change) => this.#apply(change) },
      { signal: this.#stop.signal, onError: this.#options.onError },
    )
    return this.#synced
  }

  has(namespace: string, name: string): boolean {
    return this.#objects.has(`${namespace}/${name}`)
  }

  get(namespace: string, name: string): DeepReadonly<T> | undefined {
    return this.#objects.get(`${namespace}/${name}`)?.object()
  }

  *values(): Generator<DeepReadonly<T>> {
    for (const object of this.#objects.values()) yield object.object()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#following
  }

  #replace(objects: readonly StoredObject<T>[]): void {
    const removed = new Map(this.#objects)
    this.#objects.clear()
    for (const object of objects) {
      removed.delete(formatKey(object))
      this.#objects.set(formatKey(object), object)
    }
    for (const object of [...objects, ...removed.values()]) this.#notify(object)
    this.#markSynced()
  }

  #apply({ type, object }: ObjectChange<T>): void {
    if (type === 'DELETED') this.#objects.delete(formatKey(object))
    else this.#objects.set(formatKey(object), object)
    this.#notify(object)
  }

  #notify(object: StoredObject<T>): void {
    this.#options.onChange?.(object.field('metadata.name'))
  }
}

function formatKey<T extends KubeObject>(object: StoredObject<T>): string {
  return `${object.field('metadata.namespace')}/${object.field('metadata.name')}`
}
