import { once, setMaxListeners } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { createDialer } from '../dialer.ts'
import type { DialerOptions, StreamClient } from '../dialer.ts'
import { createKeyPair } from '../test-server.fixture.ts'
import { createFrame, createNumbersFrame, FrameReader } from './frames.ts'
import { encodeHeaders } from './header-block.ts'

const pair = createKeyPair()
const { signal } = new AbortController()
// Many requests may share it.
setMaxListeners(0, signal)
export const get = { method: 'GET', path: '/', headers: [], signal }
export const type = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
}

export interface RawServer extends AsyncDisposable {
  readonly client: StreamClient
  /** Types of the frames that the server has received. */
  readonly received: readonly number[]
  readonly connections: () => number
}

interface RawServerOptions extends Pick<DialerOptions, 'maxConnections'> {
  /** Bytes that the server sends first. Default: empty settings. */
  readonly greeting?: Buffer
}

/** Starts a server that sends hand-made frames when a request has arrived. */
export async function startRawServer(
  answer: (socket: TLSSocket, stream: number) => void,
  { greeting = createSettings(), ...options }: RawServerOptions = {},
): Promise<RawServer> {
  const received: number[] = []
  let connections = 0
  const sockets = new Set<TLSSocket>()
  const server = createServer({ cert: pair.certificate, key: pair.key, ALPNProtocols: ['h2'] }, (socket) => {
    connections++
    sockets.add(socket.on('error', () => {}))
    socket.write(greeting)
    const reader = new FrameReader({
      onData: () => received.push(type.data),
      onFrame(head) {
        received.push(head.type)
        if (head.type === type.headers) answer(socket, head.stream)
      },
    })
    let skipped = 24
    socket.on('data', (chunk: Buffer) => {
      const start = Math.min(skipped, chunk.length)
      skipped -= start
      reader.read(chunk.subarray(start))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createDialer(options).client({ url, tls: { authorities: pair.certificate } })
  return {
    client,
    received,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]()
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export function createPayloadFrame(frameType: number, flags: number, stream: number, payload: string): Buffer {
  const head = createFrame({ type: frameType, flags, stream }, 0, payload.length)
  return Buffer.concat([head, Buffer.from(payload, 'latin1')])
}

/** Headers with the status 200. */
export const createHeaders = (stream: number, flags: number, ...list: string[]): Buffer =>
  createPayloadFrame(type.headers, flags, stream, encodeHeaders([':status', '200', ...list]))
export const createData = (stream: number, flags: number, body: string): Buffer => createPayloadFrame(type.data, flags, stream, body)
/** Settings, with the maximum number of concurrent streams if it is defined. */
export function createSettings(maxStreams?: number): Buffer {
  if (maxStreams === undefined) return createFrame({ type: type.settings, flags: 0, stream: 0 }, 0)
  const frame = createFrame({ type: type.settings, flags: 0, stream: 0 }, 6)
  frame.writeUInt16BE(3, 9)
  frame.writeUInt32BE(maxStreams, 11)
  return frame
}
export const goAway = (lastStream: number): Buffer => createNumbersFrame({ type: type.goAway, flags: 0, stream: 0 }, lastStream, 0)

export async function readStatus(client: StreamClient, method = 'GET'): Promise<number> {
  using answer = await client.stream({ ...get, method })
  return answer.status
}
export const repeat = (frame: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => frame))
