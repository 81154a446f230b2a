import { connect } from 'node:tls'
import { HeaderEncoder, decodeStatus } from './header-encoder.ts'
import { flags, encodeFrame, frameHead, FrameReader, frameTypes } from './http2-frames.ts'
import type { Frame } from './http2-frames.ts'
import type { ConnectionOptions, LoadConnection } from './load-connection.ts'
import type { MadeRequest } from './request-maker.ts'

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const initialWindowSize = 4
const maxWindow = 2 ** 31 - 1
const defaultWindow = 65_535
const maxFrame = 16_384

/**
 * Opens a minimal HTTP/2 connection for load. Node's HTTP/2 client uses more processor time than a server. This client reads only frame
 * headers and the status of each response. It uses the largest flow control windows. The bodies of all pending responses must fit into one
 * window.
 */
export function openHttp2({ url, token, onAnswer, onEnd }: ConnectionOptions): Promise<LoadConnection> {
  const { hostname, port, host } = new URL(url)
  const encoder = new HeaderEncoder()
  const pending = new Map<number, { readonly since: number; status: number }>()
  let nextStream = 1
  let consumedBytes = 0
  let lastEncoded: { readonly request: MadeRequest; readonly bytes: Buffer } | undefined
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2'] }, () => {
      socket.setNoDelay(true)
      const settings = Buffer.concat([Buffer.from([0, initialWindowSize]), encodeUint32(maxWindow)])
      socket.write(Buffer.concat([Buffer.from(preface), encodeFrame(frameTypes.settings, 0, 0, settings)]))
      socket.write(encodeFrame(frameTypes.windowUpdate, 0, 0, encodeUint32(maxWindow - defaultWindow)))
      resolve({ send, countBytesRead: () => socket.bytesRead, close: () => void socket.destroy() })
    })
    const failConnection = (error: Error): void => {
      reject(error)
      onEnd(error)
    }
    const reader = new FrameReader(onFrame)
    socket.on('data', (data: Buffer) => {
      // Collects all requests that one received chunk triggers into one write.
      socket.cork()
      reader.push(data)
      socket.uncork()
    })
    socket.on('error', failConnection)
    socket.on('close', () => onEnd(new Error('the server closed the connection')))

    function send(request: MadeRequest, since: number): void {
      const bytes = lastEncoded?.request === request ? Buffer.from(lastEncoded.bytes) : encodeHead(request)
      bytes.writeUInt32BE(nextStream, frameHead.stream)
      pending.set(nextStream, { since, status: 599 })
      socket.write(bytes)
      if (request.body !== undefined) sendBody(Buffer.from(request.body), nextStream)
      nextStream += 2
    }

    function encodeHead(request: MadeRequest): Buffer {
      const { method, path, accept = 'application/json', acceptEncoding, contentType, body } = request
      const fields: (readonly [string, string])[] = [
        [':method', method],
        [':scheme', 'https'],
        [':authority', host],
        [':path', path],
        ['authorization', `Bearer ${token}`],
        ['accept', accept],
      ]
      if (acceptEncoding !== undefined) fields.push(['accept-encoding', acceptEncoding])
      if (contentType !== undefined && body !== undefined) fields.push(['content-type', contentType])
      const make = (): Buffer =>
        encodeFrame(frameTypes.headers, flags.endHeaders | (body === undefined ? flags.endStream : 0), 0, encoder.encode(fields))
      const bytes = make()
      // Encodes the request a second time, because its headers are now in the dynamic table.
      lastEncoded = { request, bytes: make() }
      return bytes
    }

    function sendBody(body: Buffer, stream: number): void {
      for (let at = 0; at < body.length; at += maxFrame) {
        const end = at + maxFrame >= body.length
        socket.write(encodeFrame(frameTypes.data, end ? flags.endStream : 0, stream, body.subarray(at, at + maxFrame)))
      }
    }

    function onFrame({ type, flags: set, stream, length, payload }: Frame): void {
      const acknowledges = (set & flags.acknowledge) !== 0
      if (type === frameTypes.data) widen(length)
      else if (type === frameTypes.headers) {
        const request = pending.get(stream)
        if (request?.status === 599) request.status = decodeStatus(payload)
      } else {
        if (type === frameTypes.settings && !acknowledges) socket.write(encodeFrame(frameTypes.settings, flags.acknowledge, 0))
        else if (type === frameTypes.ping && !acknowledges) socket.write(encodeFrame(frameTypes.ping, flags.acknowledge, 0, payload))
        else if (type === frameTypes.goAway) socket.destroy(new Error('the server closed the connection with GOAWAY'))
        else if (type === frameTypes.resetStream) answerStream(stream)
        return
      }
      if ((set & flags.endStream) !== 0) answerStream(stream)
    }

    function answerStream(stream: number): void {
      const request = pending.get(stream)
      pending.delete(stream)
      if (request !== undefined) onAnswer(request.status, request.since)
    }

    function widen(length: number): void {
      consumedBytes += length
      if (consumedBytes < maxWindow / 2) return
      socket.write(encodeFrame(frameTypes.windowUpdate, 0, 0, encodeUint32(consumedBytes)))
      consumedBytes = 0
    }
  })
}

function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
