import type { KubeObject } from '@keelson/apimachinery'
import type { ObjectEvents, ObjectWatch } from '@keelson/storagebackend'
import type { CacheWatcher } from './cache-watcher.ts'

type Batch<T extends KubeObject> = ObjectEvents<T>

/** The `ObjectWatch` of a `CacheWatcher`. The iterator and `forEach` both take available events first, and wait only if there are none. */
export class CachedWatch<T extends KubeObject = KubeObject> implements ObjectWatch<T>, AsyncIterableIterator<Batch<T>> {
  readonly #watcher: CacheWatcher<T>

  constructor(watcher: CacheWatcher<T>) {
    this.#watcher = watcher
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Batch<T>>> {
    return new Promise((resolve, reject) => {
      const handOver = (value: Batch<T>): 'stop' => {
        resolve({ done: false, value })
        return 'stop'
      }
      new BatchReader(this.#watcher, handOver, { end: () => resolve({ done: true, value: undefined }), fail: reject }).begin()
    })
  }

  return(): Promise<IteratorResult<Batch<T>>> {
    this.#watcher.end(undefined)
    return Promise.resolve({ done: true, value: undefined })
  }

  forEach(read: (batch: Batch<T>) => Promise<void> | undefined): Promise<void> {
    return new Promise((end, fail) => new BatchReader(this.#watcher, read, { end, fail }).begin())
  }
}

interface Outcome {
  end(): void
  fail(error: unknown): void
}

/**
 * Passes batches to `read` until `read` returns 'stop'. All fields that are used for an event are in this one object, because with
 * thousands of readers they are not in the processor's cache.
 */
class BatchReader<T extends KubeObject> {
  readonly #watcher: CacheWatcher<T>
  readonly #read: (batch: Batch<T>) => Promise<void> | undefined | 'stop'
  readonly #outcome: Outcome

  constructor(watcher: CacheWatcher<T>, read: (batch: Batch<T>) => Promise<void> | undefined | 'stop', outcome: Outcome) {
    this.#watcher = watcher
    this.#read = read
    this.#outcome = outcome
  }

  begin(): void {
    if (this.#watcher.isWaiting) this.#outcome.fail(new Error('a watch has only one reader, which must wait for each batch'))
    else this.wake()
  }

  /** Takes the available batches and passes them to `read`. It never throws, because the caller must wake other readers too. */
  wake(): void {
    const watcher = this.#watcher
    try {
      for (let batch = watcher.take(); batch !== undefined; batch = watcher.take()) {
        const processing = this.#read(batch)
        if (processing === undefined) continue
        if (processing !== 'stop') {
          processing.then(
            () => this.wake(),
            (error: unknown) => this.#fail(error),
          )
        }
        return
      }
      if (!watcher.hasEnded) return watcher.wait(this)
      const error = watcher.takeError()
      if (error !== undefined) throw error
      this.#outcome.end()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#watcher.end(undefined)
    this.#outcome.fail(error)
  }
}
