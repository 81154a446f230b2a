import type { Incoming } from '@keelson/exchange'

/** Asks an HTTP/2 client to send no new requests on its connection, and closes the connection after the requests already sent. Does nothing for HTTP/1.1. */
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

/** Sessions that have sent GOAWAY. One is enough, however many requests were already sent. */
const closingSessions = new WeakSet<object>()
const lastPossibleStream = 2 ** 31 - 1
const closeDelayMs = 1000
