import type { Exchange, ResponseSink } from '@keelson/exchange'

/**
 * Closes the connection of a watch after `events` events, in the middle of the next one. The client receives the first half of that event, as
 * if the network had failed. Events of watches with chunked encoding are then framed one by one.
 */
export function breakWatch(exchange: Exchange, events: number): void {
  let remaining = events
  exchange.wrapSink = (sink): ResponseSink => ({
    write(chunk, written) {
      if (exchange.outgoing.destroyed) return true
      if (remaining-- > 0) return sink.write(chunk, written)
      sink.write(chunk.slice(0, chunk.length >> 1), () => exchange.outgoing.destroy())
      return true
    },
    waitForDrain: () => sink.waitForDrain(),
    get closed() {
      return sink.closed
    },
    onClose: (listener) => sink.onClose(listener),
    cork: () => {},
    uncork: () => {},
  })
}
