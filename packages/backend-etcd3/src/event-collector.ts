import { CompactedError, type Change, type Revision } from '@keelson/storagebackend'
import type { IEvent } from 'etcd3'
import { toEntry, toInteger } from './wire-values.ts'

export interface CollectedEvents {
  readonly changes: readonly Change[]
  /** Of the last of them. */
  readonly revision: Revision
  readonly bytes: number
}

/**
 * Turns events into changes, whole revisions only. etcd cuts a large answer into fragments wherever its size is reached, so the revision
 * at which a fragment ends may go on in the next one; it is held back until something shows that it is complete. Events come in order.
 */
export class EventCollector {
  #held: readonly IEvent[] = []

  /** An answer's beginning has come and not its end. */
  get isIncomplete(): boolean {
    return this.#held.length > 0
  }

  /** Undefined when nothing after `position` is complete. */
  add(events: readonly IEvent[], fragment: boolean, position: Revision): CollectedEvents | undefined {
    let all = this.#held.length > 0 ? [...this.#held, ...events] : events
    this.#held = []
    if (fragment) {
      const last = all.at(-1)?.kv.mod_revision
      const complete = all.findIndex((event) => event.kv.mod_revision === last)
      this.#held = all.slice(complete)
      all = all.slice(0, complete)
    }
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

  /** The stream broke: what was held back comes again on the next. */
  reset(): void {
    this.#held = []
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
