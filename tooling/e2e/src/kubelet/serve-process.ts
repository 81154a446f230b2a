import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { computeWebSocketAccept, WebSocketFrameReader, encodeWebSocketMessage, websocketOpcode } from '@keelson/apimachinery/httpstream'
import { resumeProcess, runProcess } from './run-process.ts'
import { serveSpdy } from './spdy-server.ts'
import type { SpdyStream } from './spdy-server.ts'

export interface ProcessRequest {
  readonly incoming: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly command: readonly string[]
  readonly query: URLSearchParams
}

/** Serves exec and attach over SPDY streams with version 4 of the protocol, like a kubelet. */
export function serveProcessInSpdy({ socket, head, command, query }: ProcessRequest): void {
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
  )
  const streamTypes = ['error', ...(query.has('input') ? ['stdin'] : []), ...(query.has('output') ? ['stdout'] : [])]
  if (query.has('error') && !query.has('tty')) streamTypes.push('stderr')
  const streams = new Map<string, SpdyStream>()
  let started = false
  serveSpdy(socket, head, (stream) => {
    streams.set(stream.headers['streamtype'] ?? '', stream)
    if (started || !streamTypes.every((name) => streams.has(name))) return
    started = true
    const child = runProcess(command, {
      writeStdout: (piece) => streams.get('stdout')?.write(piece) ?? true,
      writeStderr: (piece) => streams.get('stderr')?.write(piece) ?? true,
      finish: (status) => {
        streams.get('stdout')?.end()
        streams.get('stderr')?.end()
        streams.get('error')?.write(Buffer.from(JSON.stringify(status)))
        streams.get('error')?.end()
        streams.get('stdin')?.end()
      },
    })
    const stdin = streams.get('stdin')
    if (stdin === undefined) child.stdin?.end()
    else {
      stdin.onData = (piece) => {
        if (child.stdin?.write(piece) === false) socket.pause()
      }
      stdin.onEnd = () => void child.stdin?.end()
      child.stdin?.on('drain', () => socket.resume())
    }
    socket.on('drain', () => resumeProcess(child))
    socket.once('close', () => child.kill('SIGKILL'))
  })
}

/** Serves exec and attach over WebSocket channels with version 4 or 5 of the protocol. */
export function serveProcessInWebSocket({ incoming, socket, head, command, query }: ProcessRequest): void {
  const protocols = String(incoming.headers['sec-websocket-protocol']).split(/\s*,\s*/)
  const protocol = protocols.includes('v5.channel.k8s.io') ? 'v5.channel.k8s.io' : 'v4.channel.k8s.io'
  const accept = computeWebSocketAccept(String(incoming.headers['sec-websocket-key']))
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  )
  const send = (channel: number, piece: Buffer): boolean =>
    socket.writable ? socket.write(encodeWebSocketMessage(websocketOpcode.binary, Buffer.from([channel]), piece)) : true
  send(query.has('output') ? 1 : 3, Buffer.alloc(0))
  const child = runProcess(command, {
    writeStdout: (piece) => send(1, piece),
    writeStderr: (piece) => send(2, piece),
    finish: (status) => {
      send(3, Buffer.from(JSON.stringify(status)))
      socket.end(Buffer.from([0x88, 2, 3, 0xe8]))
    },
  })
  if (!query.has('input')) child.stdin?.end()
  let message: Buffer[] = []
  const reader = new WebSocketFrameReader(
    {
      onMessage: (_opcode, piece, { last }) => {
        message.push(Buffer.from(piece))
        if (!last) return
        const [channel = 0, ...rest] = Buffer.concat(message)
        message = []
        if (channel === 255) child.stdin?.end()
        else if (channel === 0 && rest.length > 0) child.stdin?.write(Buffer.from(rest))
      },
      onControl: (opcode) => void (opcode === websocketOpcode.close && socket.end()),
    },
    { masked: true },
  )
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => reader.push(chunk))
  socket.on('drain', () => resumeProcess(child))
  socket.once('close', () => child.kill('SIGKILL'))
  if (head.length > 0) reader.push(head)
}
