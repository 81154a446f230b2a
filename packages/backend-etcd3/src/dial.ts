import { once } from 'node:events'
import { connect as connectSocket, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { dialDirectly } from '@keelson/outbound'
import type { Egress } from './etcd3-options.ts'

/** Opens a connection for HTTP/2. Destroys the connection if the signal aborts before it is open. */
export type Dial = (signal: AbortSignal) => Promise<Duplex>

export interface DialOptions {
  /** The server: a hostname or IP address with a port, or the path of a Unix socket. */
  readonly target: { readonly hostname: string; readonly port: number } | { readonly path: string }
  /** TLS settings. If set, the connection uses TLS, and the server's certificate must be valid for the hostname or address. */
  readonly secureContext?: SecureContext | undefined
  /** Opens the stream to the server, instead of a plain TCP connection. */
  readonly egress?: Egress | undefined
}

export function createDial({ target, secureContext, egress }: DialOptions): Dial {
  if ('path' in target) return (signal) => waitUntilOpen(connectSocket({ path: target.path }), 'connect', signal)
  const { hostname, port } = target
  const plain: Dial = egress
    ? async (signal) => {
        const stream = await egress(hostname, port, signal)
        if (signal.aborted) stream.destroy()
        signal.throwIfAborted()
        return stream
      }
    : (signal) => dialDirectly({ host: hostname, port }, { network: 'etcd', signal })
  if (!secureContext) return plain
  return async (signal) => {
    const socket = await plain(signal)
    // TLS does not allow an IP address as the server name. The certificate is still checked against the address.
    const servername = isIP(hostname) === 0 ? { servername: hostname } : undefined
    const secured = connectTls({ socket, host: hostname, ...servername, secureContext, ALPNProtocols: ['h2'] })
    await waitUntilOpen(secured, 'secureConnect', signal)
    if (secured.alpnProtocol === 'h2') return secured
    secured.destroy()
    throw new Error('the server does not speak HTTP/2')
  }
}

async function waitUntilOpen<T extends Duplex>(stream: T, event: string, signal: AbortSignal): Promise<T> {
  try {
    await once(stream, event, { signal })
    return stream
  } catch (error) {
    stream.on('error', () => {})
    stream.destroy()
    throw error
  }
}
