import { CompactedError, type Change, type Revision } from '@keelson/storagebackend'
import type { WatchEvent } from './watch-response.ts'

export interface CollectedEvents {
  readonly changes: readonly Change[]
  /** Revision of the last change. */
  readonly revision: Revision
  readonly bytes: number
}

/**
 * Converts events to changes and releases only complete revisions. etcd splits a large response into fragments at any event, so the last
 * revision of a fragment may continue in the next one. Its events wait until it is complete. Events arrive in order.
 */
export class EventCollector {
  #heldEvents: readonly WatchEvent[] = []

  /** True if a response has started and its last fragment is missing. */
  get isIncomplete(): boolean {
    return this.#heldEvents.length > 0
  }

  /** Adds events and returns the changes of complete revisions; undefined if no revision after `position` is complete. */
  add(events: readonly WatchEvent[], fragment: boolean, position: Revision): CollectedEvents | undefined {
    let all = this.#heldEvents.length > 0 ? [...this.#heldEvents, ...events] : events
    this.#heldEvents = []
    if (fragment) {
      const last = all.at(-1)?.entry.modRevision
      const complete = all.findIndex((event) => event.entry.modRevision === last)
      this.#heldEvents = all.slice(complete)
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

  /** Discards waiting events after a broken stream. The next stream sends them again. */
  reset(): void {
    this.#heldEvents = []
  }
}

function toChange({ isDelete, entry, previous }: WatchEvent, at: Revision): Change {
  const isCreate = !isDelete && entry.createRevision === entry.modRevision
  // etcd omits compacted previous values. Without them, a change would look like a creation and a deletion like no change.
  if (!isCreate && !previous) throw new CompactedError(at - 1, at)
  return isDelete ? { type: 'delete', key: entry.key, revision: at, previous } : { type: 'put', entry, previous }
}
