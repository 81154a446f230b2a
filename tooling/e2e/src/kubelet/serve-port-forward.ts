import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { serveSpdy } from './spdy-server.ts'
import type { SpdyStream } from './spdy-server.ts'

/** Connections to ports of this machine, in the place of a pod's. */
export function servePortForward(upgraded: Duplex, head: Buffer): void {
  upgraded.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: portforward.k8s.io\r\n\r\n',
  )
  const errors = new Map<string, SpdyStream>()
  serveSpdy(upgraded, head, (stream) => {
    const { streamtype, port, requestid = '' } = stream.headers
    if (streamtype === 'error') errors.set(requestid, stream)
    if (streamtype !== 'data') return
    const error = errors.get(requestid)
    const local = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    local.on('data', (piece: Buffer) => {
      if (!stream.write(piece)) local.pause()
    })
    upgraded.on('drain', () => local.resume())
    local.once('end', () => stream.end())
    local.once('error', (failure) => error?.write(Buffer.from(`error forwarding port ${port}: ${failure.message}`)))
    local.once('close', () => error?.end())
    stream.onData = (piece) => void local.write(piece)
    stream.onEnd = () => void local.end()
    upgraded.once('close', () => local.destroy())
  })
}
