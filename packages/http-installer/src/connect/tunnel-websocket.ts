import type { Duplex } from 'node:stream'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { websocketOpcode } from '@keelson/apimachinery/httpstream'
import type { Remote } from '@keelson/registry'
import { sendBytes } from '../response.ts'
import { forwardedHeaders, splitList, without } from './forwarded-headers.ts'
import { askForUpgrade, passRefusal, takeSocket } from './pass-upgrade.ts'
import { nodePair } from './passage.ts'
import type { UpgradePassage } from './passage.ts'
import { ServerWebSocket, websocketHandshake } from './server-websocket.ts'
import { dismiss, keepOpen, untilClosed } from './splice-sockets.ts'

const prefix = 'SPDY/3.1+'

/** What belongs to the client's own handshake. */
const websocketHeaders = [
  'connection',
  'upgrade',
  'x-stream-protocol-version',
  'sec-websocket-protocol',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
] as const

/** Does the client speak SPDY within a WebSocket? */
export function asksForTunnel(protocols: readonly string[]): boolean {
  return protocols.some((protocol) => protocol.startsWith(prefix) && protocol.endsWith('.k8s.io'))
}

/** SPDY to the remote, the same bytes as messages to the client. The client is answered when the remote has agreed. */
export async function tunnelWebSocket({ c, context, upgrade, stopping }: UpgradePassage, remote: Remote): Promise<Response> {
  const { incoming } = nodePair(c)
  const protocols = splitList(incoming.headers['sec-websocket-protocol']).filter((protocol) => asksForTunnel([protocol]))
  if (websocketHandshake(c.req.method, incoming.headers, undefined) === undefined) return sendBytes(c, 400, {}, 'Bad Request\n')
  const headers = [
    ...without(forwardedHeaders(incoming), ...websocketHeaders),
    ['Connection', 'Upgrade'] as const,
    ['Upgrade', 'SPDY/3.1'] as const,
    ...protocols.map((protocol) => ['X-Stream-Protocol-Version', protocol.slice(prefix.length)] as const),
  ]
  const answer = await askForUpgrade(remote, { method: 'POST', headers, signal: context.signal })
  if (!answer.upgraded) return passRefusal(c, answer.message)
  const chosen = answer.message.headers['x-stream-protocol-version']
  if (answer.message.headers.upgrade?.toLowerCase() !== 'spdy/3.1') {
    answer.socket.destroy()
    return sendBytes(c, 500, {}, 'unable to upgrade: missing upgrade headers in response\n')
  }
  const protocol = typeof chosen === 'string' ? `${prefix}${chosen.trim()}` : undefined
  const handshake = websocketHandshake(c.req.method, incoming.headers, protocol) ?? []
  const tunnel = joinTunnel(takeSocket(c, upgrade, handshake), upgrade.head, answer)
  await untilClosed([tunnel.socket, answer.socket], stopping, () => tunnel.close(1001))
  return RESPONSE_ALREADY_SENT
}

function joinTunnel(client: Duplex, head: Buffer, remote: { readonly socket: Duplex; readonly head: Buffer }): ServerWebSocket {
  const { socket } = remote
  keepOpen(socket)
  const tunnel = new ServerWebSocket(client, {
    onMessage: (_opcode, piece) => {
      if (socket.writable && !socket.write(piece)) tunnel.pause()
    },
    onEnd: () => dismiss(socket),
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
