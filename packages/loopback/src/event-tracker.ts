import type { KubeObject } from '@keelson/apimachinery'
import type { ObjectEvents, ObjectWatch } from '@keelson/storagebackend'

/** Counts the watches whose reader is still handling its last batch of events. A reader has handled a batch when it asks for the next one. */
export class EventTracker {
  #busyWatches = 0

  /** True while a reader of a tracked watch handles events. */
  get isBusy(): boolean {
    return this.#busyWatches > 0
  }

  track<T extends KubeObject>(watch: ObjectWatch<T>): ObjectWatch<T> {
    return {
      [Symbol.asyncIterator]: () => this.#iterate(watch[Symbol.asyncIterator]()),
      forEach: (read) =>
        watch.forEach((batch) => {
          const handling = read(batch)
          if (handling === undefined) return undefined
          this.#busyWatches++
          return handling.finally(() => void this.#busyWatches--)
        }),
    }
  }

  #iterate<T extends KubeObject>(batches: AsyncIterator<ObjectEvents<T>>): AsyncIterator<ObjectEvents<T>> {
    let isBusy = false
    const setBusy = (busy: boolean): void => {
      if (isBusy === busy) return
      isBusy = busy
      this.#busyWatches += busy ? 1 : -1
    }
    return {
      async next() {
        setBusy(false)
        const result = await batches.next()
        setBusy(result.done !== true)
        return result
      },
      async return() {
        setBusy(false)
        return (await batches.return?.()) ?? { done: true, value: undefined }
      },
    }
  }
}
