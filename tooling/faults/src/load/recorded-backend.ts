import { isBackendError, type Backend, type Change, type Compare, type Entry, type KeyRange, type Revision } from '@keelson/storagebackend'
import type { Call, Outcome, Seen, SeenChange, Write } from '../checker/index.ts'
import { readClock, type Recorder } from './recorder.ts'
import { readTag, createValue } from './values.ts'

/** A store client that records every call. Generates the written values from tags. */
export class RecordedBackend {
  readonly #backend: Backend
  readonly #recorder: Recorder
  readonly #name: string
  readonly #valueBytes: number
  #calls = 0

  constructor(backend: Backend, recorder: Recorder, name: string, valueBytes: number) {
    this.#backend = backend
    this.#recorder = recorder
    this.#name = name
    this.#valueBytes = valueBytes
  }

  /** Returns a tag that no other write uses. */
  tag(): string {
    return `${this.#name}-${this.#calls}`
  }

  commit(compare: readonly Compare[], operations: readonly Write[], lease = 0): Promise<Outcome> {
    return this.#record({ type: 'commit', compare, operations }, async () => {
      const result = await this.#backend.commit({
        compare,
        operations: operations.map((operation) =>
          operation.type === 'put'
            ? { type: 'put', key: operation.key, value: createValue(operation.tag, this.#valueBytes), lease }
            : operation,
        ),
      })
      if (result.committed) return { type: 'committed', revision: result.revision }
      return { type: 'lost', revision: result.revision, current: result.current.map((entry) => entry && createSeen(entry)) }
    })
  }

  get(key: string, at?: Revision): Promise<Outcome> {
    const options = at === undefined ? {} : { at }
    return this.#record({ type: 'get', key, ...options }, async () => {
      const { entry, revision } = await this.#backend.get(key, options)
      return { type: 'entry', revision, entry: entry && createSeen(entry) }
    })
  }

  list(range: KeyRange, options: { readonly at?: Revision; readonly limit?: number } = {}): Promise<Outcome> {
    return this.#record({ type: 'list', range, ...options }, async () => {
      const { entries, revision, count, more } = await this.#backend.list(range, options)
      return { type: 'page', revision, count, more, entries: entries.map(createSeen) }
    })
  }

  /**
   * Watches until the signal aborts or the store ends the watch. Returns the revision at which the watch ended. Awaits `pause` after each
   * message.
   */
  async watch(
    name: string,
    range: KeyRange,
    after: Revision,
    options: { signal: AbortSignal; pause?: () => Promise<void> },
  ): Promise<Revision> {
    this.#recorder.recordWatch(name, range, after)
    let position = after
    for await (const message of this.#backend.watch(range, after, options)) {
      const item = { time: readClock(), revision: message.revision }
      this.#recorder.recordItem(
        name,
        message.type === 'progress'
          ? { type: 'progress', ...item }
          : { type: 'changes', ...item, changes: message.changes.map(toSeenChange) },
      )
      position = message.revision
      await options.pause?.()
    }
    return position
  }

  async #record(call: Call, make: () => Promise<Outcome>): Promise<Outcome> {
    const id = `${this.#name}/${this.#calls++}`
    this.#recorder.recordCall(id, call)
    let outcome: Outcome
    try {
      outcome = await make()
    } catch (error) {
      outcome = readOutcome(call, error)
    }
    this.#recorder.recordOutcome(id, outcome)
    return outcome
  }
}

function readOutcome(call: Call, error: unknown): Outcome {
  // The call was not applied if it only reads, or if a full disk or a missing lease prevented the write. After any other error, the outcome
  // is unknown.
  if (call.type !== 'commit' || isBackendError(error, 'ReadOnlyError') || isBackendError(error, 'LeaseNotFoundError'))
    return { type: 'failed' }
  return { type: 'unknown' }
}

export function createSeen(entry: Entry): Seen {
  return { key: entry.key, tag: readTag(entry.value), createRevision: entry.createRevision, modRevision: entry.modRevision }
}

function toSeenChange(change: Change): SeenChange {
  const previous = change.previous && createSeen(change.previous)
  return change.type === 'put'
    ? { type: 'put', entry: createSeen(change.entry), previous }
    : { type: 'delete', key: change.key, revision: change.revision, previous }
}
