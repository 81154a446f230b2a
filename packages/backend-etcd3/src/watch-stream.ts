import type { KeyRange, Revision } from '@keelson/storagebackend'
// The type of etcd's watch requests, which Endpoint's stream sends.
import type { IWatchRequest } from 'etcd3'
import type { Endpoint } from './endpoint.ts'
import type { WatchResponse } from './watch-response.ts'
import { toKey } from './wire-values.ts'

export interface WatchStreamListener {
  response(response: WatchResponse): void
  /** Once. The error is gRPC's; undefined when etcd ended the stream in good order. */
  ended(error: unknown): void
}

/** One watch on one duplex call. It knows nothing of resuming. */
export interface WatchStream {
  requestProgress(): void
  /** Nothing is heard of it any more. */
  close(): void
}

/**
 * `from` is where etcd begins, inclusive. A watch that is to see what comes after a revision still begins at that revision and leaves out
 * its changes: thus etcd refuses exactly when the revision itself is compacted. One later, a deletion at the compacted revision could be
 * missing unnoticed.
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
      // 0 would be "from now on".
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
