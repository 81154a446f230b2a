import type { Incoming } from '@keelson/exchange'

/**
 * Sends GOAWAY to an HTTP/2 client, so that it sends no new requests on the connection. The connection closes after the requests that were
 * already sent. Does nothing for HTTP/1.1.
 */
export function closeAfterAnswer(incoming: Incoming): void {
  if (!('stream' in incoming) || incoming.httpVersionMajor !== 2) return
  const { session } = incoming.stream
  incoming.stream.once('close', () => {
    if (session === undefined || session.closed || session.destroyed || closingSessions.has(session)) return
    closingSessions.add(session)
    session.goaway(0, lastPossibleStream)
    setTimeout(() => session.close(), closeDelayMs).unref()
  })
}

/** HTTP/2 sessions that have sent GOAWAY. A session sends it only once. */
const closingSessions = new WeakSet<object>()
const lastPossibleStream = 2 ** 31 - 1
const closeDelayMs = 1000
