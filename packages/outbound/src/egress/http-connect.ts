import type { Duplex } from 'node:stream'
import { OutboundError } from '../failure.ts'

/** Maximum size in bytes of the proxy's response. Go's limit for the headers of a request. */
const maxHeadSize = 1024 * 1024

export interface TunnelOptions {
  /** Destination of the tunnel: "host:port". The proxy resolves the host. */
  readonly address: string
  /** Address of the proxy in error messages. */
  readonly proxyAddress: string
  readonly signal: AbortSignal
}

/**
 * Asks an HTTP proxy for a tunnel to `address`. Afterwards, the socket is a connection to that address. Rejects with kube-apiserver's message, and
 * destroys the socket in that case.
 */
export async function openHttpTunnel(socket: Duplex, { address, proxyAddress, signal }: TunnelOptions): Promise<Duplex> {
  try {
    socket.write(`CONNECT ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    const { head, excess } = await readHead(socket, signal).catch((error: unknown) => {
      const { message } = error as Error
      const failed = `reading HTTP response from CONNECT to ${address} via proxy ${proxyAddress} failed: ${message}`
      throw new OutboundError('dial', failed, { cause: error })
    })
    const { code, status } = parseStatusLine(head, `reading HTTP response from CONNECT to ${address} via proxy ${proxyAddress} failed`)
    if (code !== 200) throw new OutboundError('dial', `proxy error from ${proxyAddress} while dialing ${address}, code ${code}: ${status}`)
    if (excess > 0) {
      throw new OutboundError('dial', `unexpected ${excess} bytes of buffered data from CONNECT proxy ${JSON.stringify(proxyAddress)}`)
    }
    return socket
  } catch (error) {
    socket.on('error', () => {})
    socket.destroy()
    throw error
  }
}

interface ReceivedHead {
  readonly head: string
  /** Number of bytes that arrived after the head. */
  readonly excess: number
}

/** Reads a response up to the empty line after its headers. */
function readHead(socket: Duplex, signal: AbortSignal): Promise<ReceivedHead> {
  return new Promise((resolve, reject) => {
    let text = ''
    const finish = (settle: () => void): void => {
      socket.off('readable', read).off('error', fail).off('close', end).off('end', end)
      signal.removeEventListener('abort', abort)
      settle()
    }
    const fail = (error: Error): void => finish(() => reject(error))
    const abort = (): void => fail(signal.reason as Error)
    const end = (): void => fail(new Error(text === '' ? 'unexpected EOF' : 'EOF'))
    const read = (): void => {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
        // The end of the head may be split between two chunks.
        const from = Math.max(0, text.length - 3)
        text += chunk.toString('latin1')
        const match = /\r?\n\r?\n/.exec(text.slice(from))
        if (match !== null) {
          const size = from + match.index + match[0].length
          return finish(() => resolve({ head: text.slice(0, size), excess: text.length - size }))
        }
        if (text.length > maxHeadSize) return fail(new Error('unexpected EOF'))
      }
    }
    socket.on('readable', read).once('error', fail).once('close', end).once('end', end)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    else read()
  })
}

function parseStatusLine(head: string, failed: string): { readonly code: number; readonly status: string } {
  const line = head.slice(0, head.indexOf('\n')).replace(/\r$/, '')
  const space = line.indexOf(' ')
  const refuse = (problem: string, text: string): OutboundError =>
    new OutboundError('dial', `${failed}: ${problem} ${JSON.stringify(text)}`)
  if (space < 0) throw refuse('malformed HTTP response', line)
  const [version, status] = [line.slice(0, space), line.slice(space).trimStart()]
  const code = status.split(' ', 1)[0]!
  if (!/^\d{3}$/.test(code)) throw refuse('malformed HTTP status code', code)
  if (!/^HTTP\/\d\.\d$/.test(version)) throw refuse('malformed HTTP version', version)
  return { code: Number(code), status }
}
