import { CompactedError, type Change, type Revision } from '@keelson/storagebackend'
import type { IEvent } from 'etcd3'
import { toEntry, toInteger } from './wire-values.ts'

export interface CollectedEvents {
  readonly changes: readonly Change[]
  /** Of the last of them. */
  readonly revision: Revision
  readonly bytes: number
}

/** Puts answers that were sent in fragments together again, so that a revision is never seen in part, and turns events into changes. */
export class EventCollector {
  #pending: IEvent[] = []

  /** An answer's beginning has come and not its end. */
  get isIncomplete(): boolean {
    return this.#pending.length > 0
  }

  /** Undefined while fragments are missing, or when there is nothing after `position`. */
  add(events: readonly IEvent[], fragment: boolean, position: Revision): CollectedEvents | undefined {
    if (fragment) {
      for (const event of events) this.#pending.push(event)
      return undefined
    }
    const all = this.#pending.length > 0 ? [...this.#pending, ...events] : events
    this.#pending = []
    const changes: Change[] = []
    let revision = position
    let bytes = 0
    for (const event of all) {
      const at = toInteger(event.kv.mod_revision)
      if (at <= position) continue
      changes.push(toChange(event, at))
      bytes += event.kv.key.length + event.kv.value.length + (event.prev_kv?.value.length ?? 0)
      revision = at
    }
    return changes.length > 0 ? { changes, revision, bytes } : undefined
  }

  /** The stream broke: what was incomplete comes again on the next. */
  reset(): void {
    this.#pending = []
  }
}

function toChange(event: IEvent, at: Revision): Change {
  const previous = event.prev_kv && event.prev_kv.key.length > 0 ? toEntry(event.prev_kv) : undefined
  const isDelete = (event.type as string).toUpperCase() === 'DELETE'
  const isCreate = !isDelete && event.kv.create_revision === event.kv.mod_revision
  // etcd leaves out a previous value that was compacted. Passed on like this, a change would look like a creation and a deletion like nothing.
  if (!isCreate && !previous) throw new CompactedError(at - 1, at)
  return isDelete
    ? { type: 'delete', key: event.kv.key.toString('utf8'), revision: at, previous }
    : { type: 'put', entry: toEntry(event.kv), previous }
}
