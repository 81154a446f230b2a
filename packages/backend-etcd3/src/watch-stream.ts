import type { KeyRange, Revision } from '@keelson/storagebackend'
// Only the type of etcd's watch requests is imported.
import type { IWatchRequest } from 'etcd3'
import type { Endpoint } from './endpoint.ts'
import type { WatchResponse } from './watch-response.ts'
import { toKey } from './wire-values.ts'

export interface WatchStreamListener {
  handleResponse(response: WatchResponse): void
  /** Called once when the stream ends. The error is gRPC's; undefined if etcd ended the stream normally. */
  handleEnd(error: unknown): void
}

/** One watch on a duplex gRPC call of its own. It does not reconnect. */
export interface WatchStream {
  requestProgress(): void
  /** Ends the watch. The listener is not called after that. */
  close(): void
}

/**
 * Opens a watch on a duplex gRPC call of its own. `from` is inclusive, as in etcd.
 *
 * To watch the changes after a revision, start at that revision and skip its changes. etcd then reports an error if the revision is compacted. If
 * the watch started at the next revision, it could miss a deletion at the compacted revision without an error.
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
    listener.handleEnd(error)
  }
  stream.on('data', (response: WatchResponse) => {
    if (open) listener.handleResponse(response)
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
      // etcd interprets 0 as the current revision.
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
