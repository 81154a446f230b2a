import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline, type Duplex } from 'node:stream'

export interface Relay {
  /** Path of the Unix socket. Clients connect to it instead of to the server. */
  readonly path: string
  close(): Promise<void>
}

/**
 * Starts a relay: a Unix socket, accessible only to this user, whose connections are piped through streams from `open`. It exists because the
 * gRPC library cannot use custom streams, but can connect to a Unix socket. TLS passes through the relay unchanged.
 */
export async function openRelay(open: (signal: AbortSignal) => Promise<Duplex>): Promise<Relay> {
  const directory = await mkdtemp(join(tmpdir(), 'keelson-egress-'))
  const path = join(directory, 'socket')
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    const opening = new AbortController()
    socket.once('close', () => opening.abort())
    open(opening.signal).then(
      (stream) => {
        if (socket.destroyed) {
          stream.destroy()
          return
        }
        const closeBoth = (): void => {
          socket.destroy()
          stream.destroy()
        }
        pipeline(socket, stream, closeBoth)
        pipeline(stream, socket, closeBoth)
      },
      () => socket.destroy(),
    )
  })
  server.unref()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return {
    path,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
