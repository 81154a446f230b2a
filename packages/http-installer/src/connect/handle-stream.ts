import type { IncomingMessage } from 'node:http'
import { newBadRequest, newGenericServerResponse, newInternal, newUnknownError } from '@keelson/apimachinery'
import type { ApiError } from '@keelson/apimachinery'
import type { Streamer, StreamTarget } from '@keelson/registry'
import { negotiateOutput } from '../negotiation/negotiate.ts'
import type { Transform } from '../negotiation/negotiate.ts'
import { ClientGoneError, sendBytes } from '@keelson/exchange'
import type { Handler } from '../routing/served-resource.ts'
import { newNotConvertible } from '../encoding/write-object.ts'
import { toHeaderObject, listPairs, splitList } from './forwarded-headers.ts'
import { pipeBody } from './pipe-body.ts'
import type { Passage, UpgradePassage } from './passage.ts'
import { readConnectOptions } from './read-connect-options.ts'
import { escapePath, joinHostAndPort, formatRemoteError, requestRemote } from './remote-request.ts'
import { websocketOpcode } from '@keelson/apimachinery/httpstream'
import type { MessageOpcode } from '@keelson/apimachinery/httpstream'
import { takeSocket } from './pass-upgrade.ts'
import { ServerWebSocket, acceptWebSocketHandshake } from './server-websocket.ts'
import { waitUntilClosed } from './splice-sockets.ts'

const maxRefusalBytes = 50_000

/** Returns a handler that sends bytes from another server (such as logs from a kubelet), no faster than the client reads. */
export function handleStream(streamer: Streamer): Handler {
  return async ({ exchange, served, name, query }) => {
    const { transform } = negotiateOutput(exchange, served.endpoint)
    const target = await streamer.openStream(exchange, name, readConnectOptions(streamer.streamOptions, query))
    if (transform !== undefined) throw createNoMetadataError(transform)
    if (target === undefined) return sendBytes(exchange, 204, {}, '')
    const { stopping } = served.settings
    const answer = await requestStream(target, exchange.signal)
    try {
      if (answer.statusCode! < 200 || answer.statusCode! > 206) throw await readRefusal(answer, target.resource, name)
      const { upgrade } = exchange
      if (upgrade !== undefined && exchange.getHeader('upgrade')?.toLowerCase() === 'websocket') {
        return await streamWebSocket({ exchange, upgrade, stopping }, answer)
      }
      return await streamBody({ exchange, stopping }, answer, streamer.streamType)
    } finally {
      // Stops reading the response of the other server.
      answer.destroy()
    }
  }
}

async function streamBody({ exchange, stopping }: Passage, answer: IncomingMessage, type: string): Promise<void> {
  const { outgoing } = exchange.createNodeStreams()
  outgoing.writeHead(200, toHeaderObject([...listPairs(exchange.commonHeaders), ['Content-Type', type]]))
  outgoing.flushHeaders()
  const end = (): void => {
    answer.unpipe(outgoing)
    outgoing.end(() => answer.destroy())
  }
  stopping.addEventListener('abort', end)
  try {
    await pipeBody([answer, outgoing])
  } finally {
    stopping.removeEventListener('abort', end)
  }
}

/** Returns the error for requests of Table or PartialObjectMetadata: a stream of bytes has no metadata. */
function createNoMetadataError(transform: Transform): ApiError {
  if (transform.kind === 'PartialObjectMetadataList') return newNotConvertible(transform, 'rest.LocationStreamer')
  return newUnknownError('object does not implement the Object interfaces')
}

function requestStream({ remote }: StreamTarget, signal: AbortSignal): Promise<IncomingMessage> {
  const request = requestRemote(remote, { method: 'GET', headers: ['Host', joinHostAndPort(remote)], signal })
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.on('error', (error) => {
      if (signal.aborted) return reject(new ClientGoneError())
      const query = remote.query === '' ? '' : `?${remote.query}`
      const url = `${remote.scheme}://${joinHostAndPort(remote)}${escapePath(remote.path)}${query}`
      reject(newUnknownError(`Get ${JSON.stringify(url)}: ${formatRemoteError(error)}`))
    })
    request.end()
  })
}

async function readRefusal(answer: IncomingMessage, resource: string, name: string): Promise<ApiError> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxRefusalBytes) break
  }
  const text = Buffer.concat(chunks).subarray(0, maxRefusalBytes).toString()
  const code = answer.statusCode!
  if (code === 500) return newInternal(text)
  if (code === 400) return newBadRequest(text)
  return newGenericServerResponse(code, '', { group: '', resource }, name, { serverMessage: text })
}

const base64 = 'base64.binary.k8s.io'
const protocols = new Set(['binary.k8s.io', base64])

/** Sends bytes of a response as WebSocket messages. */
async function streamWebSocket({ exchange, upgrade, stopping }: UpgradePassage, answer: IncomingMessage): Promise<void> {
  const { incoming } = exchange.createNodeStreams()
  const offered = splitList(incoming.headers['sec-websocket-protocol'])
  const protocol = offered.find((name) => protocols.has(name))
  const handshake = acceptWebSocketHandshake(exchange.method, incoming.headers, protocol)
  if (handshake === undefined || (offered.length > 0 && protocol === undefined)) return sendBytes(exchange, 403, {}, 'Forbidden\n')
  const opcode: MessageOpcode = protocol === base64 ? websocketOpcode.text : websocketOpcode.binary
  const client = new ServerWebSocket(takeSocket(exchange, upgrade, handshake), { onMessage: () => {}, onEnd: () => answer.destroy() })
  // Sends an empty message, which tells the client that the stream is open.
  client.send(opcode)
  client.onDrain(() => answer.resume())
  client.start(upgrade.head)
  answer.on('data', (chunk: Buffer) => {
    if (!client.send(opcode, protocol === base64 ? Buffer.from(chunk.toString('base64')) : chunk)) answer.pause()
  })
  answer.once('close', () => client.close())
  answer.on('error', () => answer.destroy())
  await waitUntilClosed([client.socket], stopping, () => client.close(1001))
}
