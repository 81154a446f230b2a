import type { IncomingMessage } from 'node:http'
import { isApiError, newInternal } from '@keelson/apimachinery'
import type { Status } from '@keelson/apimachinery'
import type { ProcessStreams, Remote } from '@keelson/registry'
import { ClientGoneError, sendBytes } from '@keelson/exchange'
import { askForUpgrade, takeSocket } from './pass-upgrade.ts'
import { ProcessTranslation } from './process-translation.ts'
import type { UpgradePassage } from './passage.ts'
import { joinHostAndPort } from './remote-request.ts'
import { acceptWebSocketHandshake } from './server-websocket.ts'
import { waitUntilClosed } from './splice-sockets.ts'

/** The only WebSocket subprotocol for processes that can signal the end of stdin. */
export const processProtocol = 'v5.channel.k8s.io'

const spdyProtocols = ['v5', 'v4', 'v3', 'v2'].map((version) => `${version}.channel.k8s.io`)
const maxRefusalBytes = 64 * 1024

/**
 * Translates the streams of a process between a WebSocket of the client and SPDY of a kubelet. The WebSocket handshake is answered before
 * the kubelet responds, so failures of the kubelet are sent as messages.
 */
export async function translateWebSocket(
  { exchange, upgrade, stopping }: UpgradePassage,
  remote: Remote,
  streams: ProcessStreams,
): Promise<void> {
  const { incoming } = exchange.createNodeStreams()
  const handshake = acceptWebSocketHandshake(exchange.method, incoming.headers, processProtocol)
  if (handshake === undefined) return sendBytes(exchange, 400, {}, 'Bad Request\n')
  const headers = [
    ['Host', joinHostAndPort(remote)] as const,
    ['Connection', 'Upgrade'] as const,
    ['Upgrade', 'SPDY/3.1'] as const,
    ...spdyProtocols.map((protocol) => ['X-Stream-Protocol-Version', protocol] as const),
  ]
  const translation = new ProcessTranslation(takeSocket(exchange, upgrade, handshake), upgrade.head, streams)
  const closed = waitUntilClosed([translation.socket], stopping, () => translation.close(1001))
  try {
    const answer = await askForUpgrade(remote, { method: 'POST', headers, signal: translation.signal })
    if (answer.upgraded) translation.join(answer.socket, answer.head, String(answer.message.headers['x-stream-protocol-version'] ?? ''))
    else translation.finish((await readRefusal(answer.message)).status)
  } catch (error) {
    if (!(error instanceof ClientGoneError))
      translation.finish((isApiError(error) ? newInternal(error.message) : newInternal('the server could not handle the request')).status)
  }
  await closed
}

/** Reads the response with which the kubelet refused. Plain text is converted to a Status. */
async function readRefusal(message: IncomingMessage): Promise<{ readonly status: Status }> {
  let text = ''
  try {
    for await (const chunk of message) {
      text += String(chunk)
      if (text.length > maxRefusalBytes) break
    }
    const status = JSON.parse(text) as Status
    if (status.kind === 'Status') return { status }
  } catch {
    // Invalid JSON is treated as plain text.
  }
  return newInternal(`unable to upgrade connection: ${text.trim()}`)
}
