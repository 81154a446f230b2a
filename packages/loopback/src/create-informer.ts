import { isApiError, pause, systemClock } from '@keelson/apimachinery'
import type { Clock, DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { ObjectEvent, Predicate, StoredObject } from '@keelson/storagebackend'
import { Backoff } from './backoff.ts'
import type { Informer, InformerEvent, LoopbackResource } from './client.ts'
import { ObjectIndex } from './object-index.ts'

export interface InformerOptions {
  /** Default: all of them. */
  readonly namespace?: string
  readonly predicate?: Predicate
  readonly clock?: Clock
  /** Hears of every failed watch and of handlers that throw. Default: nobody does. */
  readonly onError?: (error: unknown) => void
  /** Numbers in [0, 1), for the spread of retries. */
  readonly random?: () => number
}

/**
 * Lists through the watch itself: initial events, the bookmark that ends them, then changes. A broken watch is taken up again at the last
 * revision seen; when that is no longer in history, everything is read anew and what has gone in between is reported as deleted.
 */
export function createInformer<T extends KubeObject>(resource: LoopbackResource<T>, options: InformerOptions = {}): Informer<T> {
  return new WatchingInformer(resource, options)
}

class WatchingInformer<T extends KubeObject> implements Informer<T> {
  readonly synced: Promise<void>
  hasSynced = false
  readonly #resource: LoopbackResource<T>
  readonly #options: InformerOptions
  readonly #handlers = new Set<(event: InformerEvent<T>) => void>()
  readonly #index = new ObjectIndex<T>()
  readonly #stop = new AbortController()
  readonly #done: Promise<void>
  #markSynced: () => void = () => {}
  /** Everything up to here is in the index; "" before the first complete read. */
  #revision = ''

  constructor(resource: LoopbackResource<T>, options: InformerOptions) {
    this.#resource = resource
    this.#options = options
    this.synced = new Promise((resolve) => {
      this.#markSynced = () => {
        this.hasSynced = true
        resolve()
      }
    })
    this.#done = this.#run()
  }

  get(namespace: string, name: string): DeepReadonly<T> | undefined {
    return this.#index.get(namespace, name)
  }

  list(namespace?: string): readonly DeepReadonly<T>[] {
    return this.#index.list(namespace)
  }

  subscribe(handler: (event: InformerEvent<T>) => void): () => void {
    this.#handlers.add(handler)
    for (const object of this.#index.list()) this.#tell(handler, { type: 'added', object })
    return () => this.#handlers.delete(handler)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#done
  }

  async #run(): Promise<void> {
    const { clock = systemClock, random = Math.random } = this.#options
    const backoff = new Backoff({ first: 800, longest: 30_000, random })
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await this.#follow(() => backoff.reset())
      } catch (error) {
        if (signal.aborted) return
        if (isApiError(error, 'Expired') || isApiError(error, 'Gone')) this.#revision = ''
        this.#report(error)
      }
      await pause(clock, backoff.next(), { signal })
    }
  }

  async #follow(alive: () => void): Promise<void> {
    const { namespace, predicate } = this.#options
    const watch = await this.#resource.watch({
      ...(namespace === undefined ? undefined : { namespace }),
      ...(predicate === undefined ? undefined : { predicate }),
      ...(this.#revision === '' ? { resourceVersion: '', sendInitialEvents: true } : { resourceVersion: this.#revision }),
      signal: this.#stop.signal,
    })
    let initial: StoredObject<T>[] | undefined = this.#revision === '' ? [] : undefined
    for await (const batch of watch) {
      for (const event of batch) {
        if (initial === undefined) this.#apply(event)
        else if (event.type !== 'BOOKMARK') initial.push(event.object)
        else if (event.initialEventsEnd) {
          this.#replace(initial, event.revision)
          initial = undefined
        }
      }
      alive()
    }
  }

  #apply(event: ObjectEvent<T>): void {
    if (event.type === 'BOOKMARK') {
      this.#revision = String(event.revision)
      return
    }
    const object = event.object.object()
    if (event.type === 'DELETED') {
      if (this.#index.delete(object) !== undefined) this.#tellAll({ type: 'deleted', object })
    } else this.#put(object)
    this.#revision = String(event.object.revision)
  }

  #put(object: DeepReadonly<T>): void {
    const old = this.#index.set(object)
    if (old === undefined) this.#tellAll({ type: 'added', object })
    else if (old !== object) this.#tellAll({ type: 'updated', object, old })
  }

  #replace(objects: readonly StoredObject<T>[], revision: number): void {
    const gone = new Set(this.#index.list())
    for (const stored of objects) {
      const object = stored.object()
      const old = this.#index.get(stored.field('metadata.namespace'), stored.field('metadata.name'))
      if (old !== undefined) gone.delete(old)
      if (old === undefined || versionOf(old) !== String(stored.revision)) this.#put(object)
    }
    for (const object of gone) {
      this.#index.delete(object)
      this.#tellAll({ type: 'deleted', object })
    }
    this.#revision = String(revision)
    this.#markSynced()
  }

  #tellAll(event: InformerEvent<T>): void {
    for (const handler of this.#handlers) this.#tell(handler, event)
  }

  #tell(handler: (event: InformerEvent<T>) => void, event: InformerEvent<T>): void {
    try {
      handler(event)
    } catch (error) {
      this.#report(error)
    }
  }

  #report(error: unknown): void {
    this.#options.onError?.(error)
  }
}

function versionOf<T extends KubeObject>(object: DeepReadonly<T>): string | undefined {
  return (object as DeepReadonly<KubeObject>).metadata.resourceVersion
}
