import type { Duplex } from 'node:stream'
import { websocketOpcode } from '@keelson/apimachinery/httpstream'
import type { Remote } from '@keelson/registry'
import { sendBytes } from '@keelson/exchange'
import { selectForwardedHeaders, splitList, without } from './forwarded-headers.ts'
import { askForUpgrade, passRefusal, takeSocket } from './pass-upgrade.ts'
import type { UpgradePassage } from './passage.ts'
import { ServerWebSocket, acceptWebSocketHandshake } from './server-websocket.ts'
import { endSocket, keepOpen, waitUntilClosed } from './splice-sockets.ts'

const prefix = 'SPDY/3.1+'

/** WebSocket handshake headers of the client, which are not forwarded. */
const websocketHeaders = [
  'connection',
  'upgrade',
  'x-stream-protocol-version',
  'sec-websocket-protocol',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
] as const

/** Returns whether the client asks to tunnel SPDY through a WebSocket. */
export function requestsTunnel(protocols: readonly string[]): boolean {
  return protocols.some((protocol) => protocol.startsWith(prefix) && protocol.endsWith('.k8s.io'))
}

/**
 * Copies SPDY data between a kubelet and WebSocket messages of the client. The WebSocket handshake is answered after the kubelet has
 * accepted the connection.
 */
export async function tunnelWebSocket({ exchange, upgrade, stopping }: UpgradePassage, remote: Remote): Promise<void> {
  const { incoming } = exchange.createNodeStreams()
  const protocols = splitList(incoming.headers['sec-websocket-protocol']).filter((protocol) => requestsTunnel([protocol]))
  if (acceptWebSocketHandshake(exchange.method, incoming.headers, undefined) === undefined)
    return sendBytes(exchange, 400, {}, 'Bad Request\n')
  const headers = [
    ...without(selectForwardedHeaders(incoming), ...websocketHeaders),
    ['Connection', 'Upgrade'] as const,
    ['Upgrade', 'SPDY/3.1'] as const,
    ...protocols.map((protocol) => ['X-Stream-Protocol-Version', protocol.slice(prefix.length)] as const),
  ]
  const answer = await askForUpgrade(remote, { method: 'POST', headers, signal: exchange.signal })
  if (!answer.upgraded) return passRefusal(exchange, answer.message)
  const chosen = answer.message.headers['x-stream-protocol-version']
  if (answer.message.headers.upgrade?.toLowerCase() !== 'spdy/3.1') {
    answer.socket.destroy()
    return sendBytes(exchange, 500, {}, 'unable to upgrade: missing upgrade headers in response\n')
  }
  const protocol = typeof chosen === 'string' ? `${prefix}${chosen.trim()}` : undefined
  const handshake = acceptWebSocketHandshake(exchange.method, incoming.headers, protocol) ?? []
  const tunnel = joinTunnel(takeSocket(exchange, upgrade, handshake), upgrade.head, answer)
  await waitUntilClosed([tunnel.socket, answer.socket], stopping, () => tunnel.close(1001))
}

function joinTunnel(client: Duplex, head: Buffer, remote: { readonly socket: Duplex; readonly head: Buffer }): ServerWebSocket {
  const { socket } = remote
  keepOpen(socket)
  const tunnel = new ServerWebSocket(client, {
    onMessage: (_opcode, piece) => {
      if (socket.writable && !socket.write(piece)) tunnel.pause()
    },
    onEnd: () => endSocket(socket),
  })
  const deliver = (chunk: Buffer): void => {
    if (!tunnel.send(websocketOpcode.binary, chunk)) socket.pause()
  }
  socket.on('drain', () => tunnel.resume())
  tunnel.onDrain(() => socket.resume())
  if (remote.head.length > 0) deliver(remote.head)
  socket.on('data', deliver)
  socket.once('end', () => tunnel.close())
  socket.once('close', () => tunnel.close())
  tunnel.start(head)
  return tunnel
}
