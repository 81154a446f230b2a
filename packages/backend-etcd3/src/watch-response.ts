import { WireReader } from '@keelson/apimachinery/protobuf'
import type { Entry, Revision } from '@keelson/storagebackend'
import { readEntry, readHeader } from './kv-methods.ts'
import { requireSafeInteger } from './wire-values.ts'

export interface WatchEvent {
  readonly isDelete: boolean
  /** The entry after the event. For a deletion, it contains only the key and the revision. */
  readonly entry: Entry
  readonly previous: Entry | undefined
}

export interface WatchResponse {
  /** Current revision of the store. The watch may not have received this revision yet. */
  readonly revision: Revision
  /** Id of the watch. −1 if the response applies to all watches of the stream. */
  readonly watchId: number
  readonly created: boolean
  readonly canceled: boolean
  readonly compactRevision: Revision
  readonly cancelReason: string
  readonly fragment: boolean
  readonly events: readonly WatchEvent[]
}

export function readWatchResponse(bytes: Buffer): WatchResponse {
  const response = {
    revision: 0,
    watchId: 0,
    created: false,
    canceled: false,
    compactRevision: 0,
    cancelReason: '',
    fragment: false,
    events: [] as WatchEvent[],
  }
  const reader = new WireReader(bytes)
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) response.revision = readHeader(reader.message())
    else if (field === 2) response.watchId = reader.integer()
    else if (field === 3) response.created = reader.flag()
    else if (field === 4) response.canceled = reader.flag()
    else if (field === 5) response.compactRevision = requireSafeInteger(reader.integer())
    else if (field === 6) response.cancelReason = reader.text()
    else if (field === 7) response.fragment = reader.flag()
    else if (field === 11) response.events.push(readEvent(reader.message()))
  }
  return response
}

function readEvent(reader: WireReader): WatchEvent {
  let isDelete = false
  let entry: Entry | undefined
  let previous: Entry | undefined
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) isDelete = reader.integer() === 1
    else if (field === 2) entry = readEntry(reader.message())
    else if (field === 3) previous = readEntry(reader.message())
  }
  if (entry === undefined) throw new Error('etcd sent an event without a key')
  // An empty key means that there is no previous entry, because real keys are never empty.
  return { isDelete, entry, previous: previous?.key === '' ? undefined : previous }
}
