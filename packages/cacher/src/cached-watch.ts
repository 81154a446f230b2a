import type { KubeObject } from '@keelson/apimachinery'
import type { ObjectEvents, ObjectWatch } from '@keelson/storagebackend'
import type { Watcher } from './watcher.ts'

type Batch<T extends KubeObject> = ObjectEvents<T>

/** A watcher as its reader sees it. Both ways to read take what is there, and wait only for what is not. */
export class CachedWatch<T extends KubeObject = KubeObject> implements ObjectWatch<T>, AsyncIterableIterator<Batch<T>> {
  readonly #watcher: Watcher<T>

  constructor(watcher: Watcher<T>) {
    this.#watcher = watcher
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Batch<T>>> {
    return new Promise((resolve, reject) => {
      const handOver = (value: Batch<T>): 'enough' => {
        resolve({ done: false, value })
        return 'enough'
      }
      new Reading(this.#watcher, handOver, { end: () => resolve({ done: true, value: undefined }), fail: reject }).begin()
    })
  }

  return(): Promise<IteratorResult<Batch<T>>> {
    this.#watcher.end(undefined)
    return Promise.resolve({ done: true, value: undefined })
  }

  forEach(read: (batch: Batch<T>) => Promise<void> | undefined): Promise<void> {
    return new Promise((end, fail) => new Reading(this.#watcher, read, { end, fail }).begin())
  }
}

interface Outcome {
  end(): void
  fail(error: unknown): void
}

/** Takes batch after batch until told that it is enough. All that an event touches is here: among thousands of readers it is cold memory. */
class Reading<T extends KubeObject> {
  readonly #watcher: Watcher<T>
  readonly #read: (batch: Batch<T>) => Promise<void> | undefined | 'enough'
  readonly #outcome: Outcome

  constructor(watcher: Watcher<T>, read: (batch: Batch<T>) => Promise<void> | undefined | 'enough', outcome: Outcome) {
    this.#watcher = watcher
    this.#read = read
    this.#outcome = outcome
  }

  begin(): void {
    if (this.#watcher.waiting) this.#outcome.fail(new Error('a watch has one reader, which waits for each batch'))
    else this.wake()
  }

  /** Whoever wakes it has other readers to wake: what goes wrong here stays here. */
  wake(): void {
    const watcher = this.#watcher
    try {
      for (let batch = watcher.take(); batch !== undefined; batch = watcher.take()) {
        const busy = this.#read(batch)
        if (busy === undefined) continue
        if (busy !== 'enough') {
          busy.then(
            () => this.wake(),
            (error: unknown) => this.#fail(error),
          )
        }
        return
      }
      if (!watcher.ended) return watcher.wait(this)
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
