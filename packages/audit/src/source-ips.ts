import { isIP, SocketAddress } from 'node:net'
import type { Exchange } from '@keelson/exchange'

/**
 * Returns the addresses that a request came from: those in `X-Forwarded-For`, the one in `X-Real-Ip`, and that of the connection. Clients can
 * send any address except the last.
 */
export function findSourceIps(exchange: Exchange): readonly string[] {
  const { headers, socket } = exchange.incoming
  const remote = normalizeAddress(socket.remoteAddress ?? '')
  if (headers['x-forwarded-for'] === undefined && headers['x-real-ip'] === undefined) return remote === undefined ? [] : [remote]
  const addresses = (readFirstLine(headers['x-forwarded-for']) ?? '').split(',').flatMap((text) => normalizeAddress(text.trim()) ?? [])
  const real = normalizeAddress(readFirstLine(headers['x-real-ip']) ?? '')
  if (real !== undefined && !addresses.includes(real)) addresses.push(real)
  if (remote !== undefined && addresses.at(-1) !== remote) addresses.push(remote)
  return addresses
}

function readFirstLine(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'object' ? header[0] : header
}

/** Returns the canonical text of an address. An IPv4 address in IPv6 form becomes IPv4. Returns undefined for other texts. */
function normalizeAddress(text: string): string | undefined {
  if (text.startsWith('::ffff:') && isIP(text.slice(7)) === 4) return text.slice(7)
  const family = isIP(text)
  if (family === 4) return text
  if (family === 0 || text.includes('%')) return undefined
  return new SocketAddress({ address: text, family: 'ipv6' }).address
}
