import type { KubeObject } from '@keelson/apimachinery'
import type { ObjectEvents, ObjectWatch } from './storage.ts'

/** An `ObjectWatch` over an async iterable of batches. */
export class IteratedWatch<T extends KubeObject = KubeObject> implements ObjectWatch<T> {
  readonly #batches: AsyncIterable<ObjectEvents<T>>

  constructor(batches: AsyncIterable<ObjectEvents<T>>) {
    this.#batches = batches
  }

  [Symbol.asyncIterator](): AsyncIterator<ObjectEvents<T>> {
    return this.#batches[Symbol.asyncIterator]()
  }

  async forEach(read: (batch: ObjectEvents<T>) => Promise<void> | undefined): Promise<void> {
    for await (const batch of this.#batches) {
      const busy = read(batch)
      if (busy !== undefined) await busy
    }
  }
}
