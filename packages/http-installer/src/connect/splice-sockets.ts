import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

const keepAliveMs = 30_000
const endTimeoutMs = 1000

/** One end of a connection after the change of protocol, and the bytes that were read after the headers. */
export interface OpenEnd {
  readonly socket: Duplex
  readonly head: Buffer
}

/**
 * Copies bytes between both ends, no faster than they read. If one end finishes sending, the other gets the end and may still send. If one fails, the other is
 * closed. Resolves when both are closed.
 */
export async function spliceSockets(client: OpenEnd, remote: OpenEnd, stopping: AbortSignal): Promise<void> {
  const sockets = [client.socket, remote.socket] as const
  if (client.head.length > 0) remote.socket.write(client.head)
  if (remote.head.length > 0) client.socket.write(remote.head)
  for (const [from, to] of [sockets, sockets.toReversed() as [Duplex, Duplex]]) {
    keepOpen(from)
    from.once('close', () => {
      if (!from.readableEnded || from.errored) to.destroy()
    })
    if (from.destroyed) to.destroy()
    from.pipe(to)
  }
  await untilClosed(sockets, stopping)
}

/** Resolves when all sockets are closed. Ends them when the server stops. */
export async function untilClosed(sockets: readonly Duplex[], stopping: AbortSignal, farewell: () => void = () => {}): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const end = (): void => {
    farewell()
    for (const socket of sockets) socket.end()
    timer = setTimeout(() => sockets.forEach((socket) => socket.destroy()), endTimeoutMs)
  }
  if (stopping.aborted) end()
  else stopping.addEventListener('abort', end)
  await Promise.all(sockets.map(whenClosed))
  stopping.removeEventListener('abort', end)
  clearTimeout(timer)
}

/** Ends a socket, and destroys it after a short time if the client does not read the pending data. */
export function endSocket(socket: Duplex): void {
  const destroy = (): void => void socket.destroy()
  socket.end(destroy)
  setTimeout(destroy, endTimeoutMs).unref()
}

function whenClosed(socket: Duplex): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', resolve)))
}

/** Keeps a socket open without a timeout, also after the other side has finished sending. */
export function keepOpen(socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  socket.allowHalfOpen = true
  if (!(socket instanceof Socket)) return
  socket.setTimeout(0)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveMs)
}
