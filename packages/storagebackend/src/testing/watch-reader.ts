import type { Backend, Change, KeyRange, Revision, WatchMessage } from '../backend.ts'

/** Reads a driver's watch, with a method for each step. Each step has a timeout. */
export class WatchReader {
  readonly #abort = new AbortController()
  readonly #messages: AsyncIterator<WatchMessage>
  #next: Promise<IteratorResult<WatchMessage>> | undefined

  constructor(backend: Backend, range: KeyRange, after: Revision) {
    this.#messages = backend.watch(range, after, { signal: this.#abort.signal })[Symbol.asyncIterator]()
  }

  /** Reads the next message, which may be progress. Returns undefined at the end of the watch. */
  async next(): Promise<WatchMessage | undefined> {
    this.#next ??= this.#messages.next()
    const result = await waitFor(this.#next, 'a watch message')
    this.#next = undefined
    return result.done ? undefined : result.value
  }

  /** Reads the next `count` changes, grouped by message. Skips progress. */
  async batches(count: number): Promise<(readonly Change[])[]> {
    const batches: (readonly Change[])[] = []
    for (let received = 0; received < count;) {
      const message = await this.next()
      if (!message) throw new Error(`the watch ended after ${received} changes, expected ${count}`)
      if (message.type !== 'changes') continue
      batches.push(message.changes)
      received += message.changes.length
    }
    return batches
  }

  async changes(count: number): Promise<Change[]> {
    return (await this.batches(count)).flat()
  }

  /** Reads the next message, which must be progress, and returns its revision. Throws if it has changes. */
  async progress(): Promise<Revision> {
    const message = await this.next()
    if (message?.type !== 'progress') throw new Error(`expected progress, got ${JSON.stringify(message)}`)
    return message.revision
  }

  /** Aborts the watch, and reads until its end. */
  async stop(): Promise<void> {
    this.#abort.abort()
    while (await this.next()) continue
  }
}

/** Waits for a promise. Rejects if a timeout expires first. */
export async function waitFor<T>(promise: Promise<T>, subject: string, milliseconds = 10_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timeout while waiting for ${subject}`)), milliseconds)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

export function getRevision(change: Change): Revision {
  return change.type === 'put' ? change.entry.modRevision : change.revision
}
