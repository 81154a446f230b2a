import type { IncomingMessage } from 'node:http'
import { websocketOpcode } from '@keelson/apimachinery/httpstream'
import type { MessageOpcode } from '@keelson/apimachinery/httpstream'
import { sendBytes } from '@keelson/exchange'
import { splitList } from './forwarded-headers.ts'
import type { UpgradePassage } from './passage.ts'
import { takeSocket } from './pass-upgrade.ts'
import { ServerWebSocket, websocketHandshake } from './server-websocket.ts'
import { untilClosed } from './splice-sockets.ts'

const base64 = 'base64.binary.k8s.io'
const protocols = new Set(['binary.k8s.io', base64])

/** Streams bytes as messages of a WebSocket. */
export async function streamWebSocket({ exchange, upgrade, stopping }: UpgradePassage, answer: IncomingMessage): Promise<void> {
  const { incoming } = exchange.nodeStreams()
  const offered = splitList(incoming.headers['sec-websocket-protocol'])
  const protocol = offered.find((name) => protocols.has(name))
  const handshake = websocketHandshake(exchange.method, incoming.headers, protocol)
  if (handshake === undefined || (offered.length > 0 && protocol === undefined)) return sendBytes(exchange, 403, {}, 'Forbidden\n')
  const opcode: MessageOpcode = protocol === base64 ? websocketOpcode.text : websocketOpcode.binary
  const client = new ServerWebSocket(takeSocket(exchange, upgrade, handshake), { onMessage: () => {}, onEnd: () => answer.destroy() })
  // An empty message tells the client that the stream is open.
  client.send(opcode)
  client.onDrain(() => answer.resume())
  client.start(upgrade.head)
  answer.on('data', (chunk: Buffer) => {
    if (!client.send(opcode, protocol === base64 ? Buffer.from(chunk.toString('base64')) : chunk)) answer.pause()
  })
  answer.once('close', () => client.close())
  answer.on('error', () => answer.destroy())
  await untilClosed([client.socket], stopping, () => client.close(1001))
}
