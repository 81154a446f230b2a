import type { Incoming } from '@keelson/exchange'

const patienceMs = 500
const maxBytes = 64 * 1024 * 1024

/**
 * Reads the rest of a request's body and discards it, so that the connection can serve the next request. A client that sends too much, or too
 * slowly, loses the connection (HTTP/2: the stream).
 */
export function drainIncoming(incoming: Incoming): void {
  if (incoming.readableEnded || incoming.destroyed) return
  if ('stream' in incoming && incoming.httpVersionMajor === 2) {
    incoming.stream.close()
    return
  }
  let bytes = 0
  const giveUp = (): void => {
    done()
    incoming.socket.destroySoon()
  }
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > maxBytes) giveUp()
  }
  const timer = setTimeout(giveUp, patienceMs)
  timer.unref()
  const done = (): void => {
    clearTimeout(timer)
    incoming.off('data', onData).off('end', done).off('error', done).off('close', done)
  }
  incoming.on('data', onData).on('end', done).on('error', done).on('close', done)
  incoming.resume()
}
