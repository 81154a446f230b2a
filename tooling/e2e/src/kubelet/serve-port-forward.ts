import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { computeWebSocketAccept, WebSocketFrameReader, encodeWebSocketMessage, websocketOpcode } from '@keelson/apimachinery/httpstream'
import { serveSpdy } from './spdy-server.ts'
import type { SpdyStream } from './spdy-server.ts'

/**
 * Serves port-forward over SPDY. Forwards connections to ports of this machine instead of a pod's ports. Each connection uses a pair of
 * streams.
 */
export function servePortForwardInSpdy(upgraded: Duplex, head: Buffer): void {
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

/** Serves port-forward over WebSocket, which old clients use. Each port in the query has a data channel and an error channel. */
export function servePortForwardInWebSocket(incoming: IncomingMessage, socket: Duplex, ports: readonly number[]): void {
  const accept = computeWebSocketAccept(String(incoming.headers['sec-websocket-key']))
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n`,
  )
  const send = (channel: number, piece: Buffer): boolean =>
    socket.writable && socket.write(encodeWebSocketMessage(websocketOpcode.binary, Buffer.from([channel]), piece))
  const locals = ports.map((port, i) => {
    const local = connect({ port, host: '127.0.0.1' })
    const name = Buffer.from([port & 255, port >> 8])
    send(2 * i, name)
    send(2 * i + 1, name)
    local.on('data', (piece: Buffer) => send(2 * i, piece))
    local.once('error', (failure) => send(2 * i + 1, Buffer.from(`error forwarding port ${port}: ${failure.message}`)))
    socket.once('close', () => local.destroy())
    return local
  })
  let channel: number | undefined
  const reader = new WebSocketFrameReader(
    {
      onMessage: (_opcode, piece, { last }) => {
        const data = channel === undefined ? piece.subarray(1) : piece
        channel ??= piece[0] ?? 0
        locals[channel / 2]?.write(Buffer.from(data))
        if (last) channel = undefined
      },
      onControl: (opcode) => void (opcode === websocketOpcode.close && socket.end()),
    },
    { masked: true },
  )
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => reader.push(chunk))
}
