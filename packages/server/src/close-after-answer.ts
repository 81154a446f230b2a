import type { Incoming } from '@keelson/exchange'

/** Asks the client of an HTTP/2 connection to send no new requests, and closes the connection after those on their way. Nothing happens for HTTP/1.1. */
export function closeAfterAnswer(incoming: Incoming): void {
  if (!('stream' in incoming) || incoming.httpVersionMajor !== 2) return
  const { session } = incoming.stream
  incoming.stream.once('close', () => {
    if (session === undefined || session.closed || session.destroyed || leaving.has(session)) return
    leaving.add(session)
    session.goaway(0, lastPossibleStream)
    setTimeout(() => session.close(), farewellMs).unref()
  })
}

/** Sessions whose clients were asked to leave: once is enough, however many requests were on their way. */
const leaving = new WeakSet<object>()
const lastPossibleStream = 2 ** 31 - 1
const farewellMs = 1000
