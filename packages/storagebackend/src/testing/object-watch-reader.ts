import type { ObjectEvent, Storage, WatchObjectsOptions } from '../storage.ts'
import type { TestObject } from './test-object.ts'
import { waitFor } from './watch-reader.ts'

/** A watch event in a short form for comparisons. */
export interface SeenEvent {
  readonly type: string
  readonly name: string
  readonly revision: number
  readonly initialEventsEnd?: boolean
}

/** Reads a watch on objects, with a method for each step. */
export class ObjectWatchReader {
  readonly #abort: AbortController
  readonly #batches: AsyncIterator<readonly ObjectEvent<TestObject>[]>
  #buffered: ObjectEvent<TestObject>[] = []
  #next: Promise<IteratorResult<readonly ObjectEvent<TestObject>[]>> | undefined

  private constructor(abort: AbortController, batches: AsyncIterator<readonly ObjectEvent<TestObject>[]>) {
    this.#abort = abort
    this.#batches = batches
  }

  static async open(storage: Storage<TestObject>, key: string, options: Omit<WatchObjectsOptions, 'signal'>): Promise<ObjectWatchReader> {
    const abort = new AbortController()
    const watch = await storage.watch(key, { ...options, signal: abort.signal })
    return new ObjectWatchReader(abort, watch[Symbol.asyncIterator]())
  }

  async next(): Promise<ObjectEvent<TestObject> | undefined> {
    while (this.#buffered.length === 0) {
      this.#next ??= this.#batches.next()
      const result = await waitFor(this.#next, 'a watch event').catch((error: unknown) => {
        this.#next = undefined
        throw error
      })
      this.#next = undefined
      if (result.done) return undefined
      this.#buffered = [...result.value]
    }
    return this.#buffered.shift()
  }

  /** Reads the next `count` events, including bookmarks. */
  async events(count: number): Promise<SeenEvent[]> {
    const events: SeenEvent[] = []
    while (events.length < count) {
      const event = await this.next()
      if (!event) throw new Error(`the watch ended after ${JSON.stringify(events)}`)
      events.push(
        event.type === 'BOOKMARK'
          ? { type: event.type, name: '', revision: event.revision, initialEventsEnd: event.initialEventsEnd }
          : { type: event.type, name: event.object.field('metadata.name'), revision: event.object.revision },
      )
    }
    return events
  }

  /** Reads the next `count` events, without bookmarks. */
  async objects(count: number): Promise<SeenEvent[]> {
    const events: SeenEvent[] = []
    while (events.length < count) events.push(...(await this.events(1)).filter((event) => event.type !== 'BOOKMARK'))
    return events
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    while (await this.next()) continue
  }
}

export function formatEvents(events: readonly SeenEvent[]): string[] {
  return events.map((event) => (event.type === 'BOOKMARK' ? 'BOOKMARK' : `${event.type} ${event.name}`))
}
