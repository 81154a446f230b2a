import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

const keepAliveMs = 30_000
const endTimeoutMs = 1000

/** One end of a connection after a protocol upgrade, and the bytes that were received after the headers. */
export interface OpenEnd {
  readonly socket: Duplex
  readonly head: Buffer
}

/**
 * Copies bytes between two connections in both directions, no faster than each side reads. If one side finishes sending, it can still
 * receive. If one side fails, the other one is closed. Resolves when both are closed.
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
  await waitUntilClosed(sockets, stopping)
}

/** Resolves when all sockets are closed. Closes them when the server stops. */
export async function waitUntilClosed(sockets: readonly Duplex[], stopping: AbortSignal, farewell: () => void = () => {}): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const end = (): void => {
    farewell()
    for (const socket of sockets) socket.end()
    timer = setTimeout(() => sockets.forEach((socket) => socket.destroy()), endTimeoutMs)
  }
  if (stopping.aborted) end()
  else stopping.addEventListener('abort', end)
  await Promise.all(sockets.map(waitForClose))
  stopping.removeEventListener('abort', end)
  clearTimeout(timer)
}

/** Ends a socket. Destroys it after a short time if the client does not read the pending data. */
export function endSocket(socket: Duplex): void {
  const destroy = (): void => void socket.destroy()
  socket.end(destroy)
  setTimeout(destroy, endTimeoutMs).unref()
}

function waitForClose(socket: Duplex): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', resolve)))
}

/** Disables the timeout of a socket, and keeps it open after the other side has finished sending. */
export function keepOpen(socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  socket.allowHalfOpen = true
  if (!(socket instanceof Socket)) return
  socket.setTimeout(0)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveMs)
}
