import { once } from 'node:events'
import { connect as connectSocket, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type SecureContext } from 'node:tls'

/** A connection to a server that speaks HTTP/2. It is destroyed when the signal aborts before it is there. */
export type Dial = (signal: AbortSignal) => Promise<Duplex>

export interface DialOptions {
  /** Where it listens: a name or an address and a port, or the path of a Unix socket. */
  readonly target: { readonly hostname: string; readonly port: number } | { readonly path: string }
  /** With it TLS is spoken, and the server's certificate must be for the name or address. */
  readonly secureContext?: SecureContext | undefined
  /** Opens the connection in the place of a plain one. */
  readonly egress?: ((hostname: string, port: number) => Promise<Duplex>) | undefined
}

export function createDial({ target, secureContext, egress }: DialOptions): Dial {
  if ('path' in target) return (signal) => opened(connectSocket({ path: target.path }), 'connect', signal)
  const { hostname, port } = target
  const plain: Dial = egress
    ? async (signal) => {
        const stream = await egress(hostname, port)
        if (signal.aborted) stream.destroy()
        signal.throwIfAborted()
        return stream
      }
    : (signal) => opened(connectSocket({ host: hostname, port, noDelay: true }), 'connect', signal)
  if (!secureContext) return plain
  return async (signal) => {
    const socket = await plain(signal)
    // An address is never sent as the server's name; that the certificate is for it is checked all the same.
    const servername = isIP(hostname) === 0 ? { servername: hostname } : undefined
    const secured = connectTls({ socket, host: hostname, ...servername, secureContext, ALPNProtocols: ['h2'] })
    await opened(secured, 'secureConnect', signal)
    if (secured.alpnProtocol === 'h2') return secured
    secured.destroy()
    throw new Error('the server does not speak HTTP/2')
  }
}

async function opened<T extends Duplex>(stream: T, event: string, signal: AbortSignal): Promise<T> {
  try {
    await once(stream, event, { signal })
    return stream
  } catch (error) {
    stream.on('error', () => {})
    stream.destroy()
    throw error
  }
}
