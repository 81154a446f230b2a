import type { KeyRange, Revision } from '@keelson/storagebackend'
// Only the type of etcd's watch requests.
import type { IWatchRequest } from 'etcd3'
import type { Endpoint } from './endpoint.ts'
import type { WatchResponse } from './watch-response.ts'
import { toKey } from './wire-values.ts'

export interface WatchStreamListener {
  response(response: WatchResponse): void
  /** Called once, with gRPC's error; undefined if etcd ended the stream normally. */
  ended(error: unknown): void
}

/** One watch on one duplex call. Does not resume. */
export interface WatchStream {
  requestProgress(): void
  /** Ends the watch. The listener is not called afterwards. */
  close(): void
}

/**
 * Opens a watch on its own call. `from` is inclusive for etcd. To watch after a revision, start at that revision and skip its changes: etcd
 * then fails if that revision is compacted. With the next revision, a deletion at the compacted revision could be missed.
 */
export async function openWatchStream(
  endpoint: Endpoint,
  range: KeyRange,
  from: Revision,
  listener: WatchStreamListener,
): Promise<WatchStream> {
  const stream = await endpoint.openWatch()
  let open = true
  const end = (error: unknown): void => {
    if (!open) return
    open = false
    listener.ended(error)
  }
  stream.on('data', (response: WatchResponse) => {
    if (open) listener.response(response)
  })
  stream.on('error', end)
  stream.on('end', () => end(undefined))
  const write = (request: IWatchRequest): void => {
    if (open) stream.write(request)
  }
  write({
    create_request: {
      key: toKey(range.start),
      ...(range.end !== undefined && { range_end: toKey(range.end) }),
      // For etcd, 0 means "from now on".
      start_revision: Math.max(from, 1),
      prev_kv: true,
      progress_notify: true,
      fragment: true,
    },
  })
  return {
    requestProgress: () => write({ progress_request: {} }),
    close() {
      open = false
      stream.cancel()
    },
  }
}
