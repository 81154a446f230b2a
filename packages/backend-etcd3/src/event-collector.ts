import { CompactedError, type Change, type Revision } from '@keelson/storagebackend'
import type { WatchEvent } from './watch-response.ts'

export interface CollectedEvents {
  readonly changes: readonly Change[]
  /** Revision of the last change in the list. */
  readonly revision: Revision
  readonly bytes: number
}

/**
 * Converts etcd's watch events to changes, and returns only complete revisions. etcd splits a large response into fragments at any event, so the
 * last revision of a fragment may continue in the next fragment. Its events are held back until it is complete. Events must be added in the order
 * of their revisions.
 */
export class EventCollector {
  #heldEvents: readonly WatchEvent[] = []

  /** True if a response is incomplete because its last fragment is still missing. */
  get isIncomplete(): boolean {
    return this.#heldEvents.length > 0
  }

  /** Adds events. Returns the changes of all revisions after `position` that are now complete; undefined if there are none. */
  add(events: readonly WatchEvent[], fragment: boolean, position: Revision): CollectedEvents | undefined {
    let allEvents = this.#heldEvents.length > 0 ? [...this.#heldEvents, ...events] : events
    this.#heldEvents = []
    if (fragment) {
      const last = allEvents.at(-1)?.entry.modRevision
      const complete = allEvents.findIndex((event) => event.entry.modRevision === last)
      this.#heldEvents = allEvents.slice(complete)
      allEvents = allEvents.slice(0, complete)
    }
    const changes: Change[] = []
    let revision = position
    let bytes = 0
    for (const event of allEvents) {
      const at = event.entry.modRevision
      if (at <= position) continue
      changes.push(toChange(event, at))
      bytes += event.entry.key.length + event.entry.value.length + (event.previous?.value.length ?? 0)
      revision = at
    }
    return changes.length > 0 ? { changes, revision, bytes } : undefined
  }

  /** Discards the events that are held back, because their stream broke. The next stream sends them again. */
  reset(): void {
    this.#heldEvents = []
  }
}

function toChange({ isDelete, entry, previous }: WatchEvent, at: Revision): Change {
  const isCreate = !isDelete && entry.createRevision === entry.modRevision
  // etcd omits previous values that are compacted. Without its previous value, a change would look like a creation, and a deletion would be
  // dropped.
  if (!isCreate && !previous) throw new CompactedError(at - 1, at)
  return isDelete ? { type: 'delete', key: entry.key, revision: at, previous } : { type: 'put', entry, previous }
}
