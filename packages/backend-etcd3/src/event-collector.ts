import { CompactedError, type Change, type Revision } from '@keelson/storagebackend'
import type { WatchEvent } from './watch-response.ts'

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
  #held: readonly WatchEvent[] = []

  /** An answer's beginning has come and not its end. */
  get isIncomplete(): boolean {
    return this.#held.length > 0
  }

  /** Undefined when nothing after `position` is complete. */
  add(events: readonly WatchEvent[], fragment: boolean, position: Revision): CollectedEvents | undefined {
    let all = this.#held.length > 0 ? [...this.#held, ...events] : events
    this.#held = []
    if (fragment) {
      const last = all.at(-1)?.entry.modRevision
      const complete = all.findIndex((event) => event.entry.modRevision === last)
      this.#held = all.slice(complete)
      all = all.slice(0, complete)
    }
    const changes: Change[] = []
    let revision = position
    let bytes = 0
    for (const event of all) {
      const at = event.entry.modRevision
      if (at <= position) continue
      changes.push(toChange(event, at))
      bytes += event.entry.key.length + event.entry.value.length + (event.previous?.value.length ?? 0)
      revision = at
    }
    return changes.length > 0 ? { changes, revision, bytes } : undefined
  }

  /** The stream broke: what was held back comes again on the next. */
  reset(): void {
    this.#held = []
  }
}

function toChange({ isDelete, entry, previous }: WatchEvent, at: Revision): Change {
  const isCreate = !isDelete && entry.createRevision === entry.modRevision
  // etcd leaves out a previous value that was compacted. Passed on like this, a change would look like a creation and a deletion like nothing.
  if (!isCreate && !previous) throw new CompactedError(at - 1, at)
  return isDelete ? { type: 'delete', key: entry.key, revision: at, previous } : { type: 'put', entry, previous }
}
