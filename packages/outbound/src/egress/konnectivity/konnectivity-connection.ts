import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { Duplex } from 'node:stream'
import { encodePacket } from './packets.ts'
import type { Packet } from './packets.ts'

/** Maximum size in bytes of a sent packet. */
const maxPacketSize = 32 * 1024
/** Time in milliseconds that the proxy has to confirm the end of a connection, as in upstream's client. */
const closeTimeoutMs = 10_000

export interface KonnectivityStream {
  readonly session: ClientHttp2Session
  readonly stream: ClientHttp2Stream
  /** Id that the proxy gave the connection. */
  readonly id: bigint
}

/**
 * A TCP connection through konnectivity's proxy server. The protocol cannot close one direction: after `end()`, the connection closes for both
 * directions.
 */
export class KonnectivityConnection extends Duplex {
  readonly #session: ClientHttp2Session
  readonly #stream: ClientHttp2Stream
  readonly #id: bigint
  /** `closing` after a request to close, `closed` when there is nothing more to send or to wait for. */
  #state: 'open' | 'closing' | 'closed' = 'open'
  #idleTimer: NodeJS.Timeout | undefined

  constructor({ session, stream, id }: KonnectivityStream) {
    super({ allowHalfOpen: false })
    this.#session = session
    this.#stream = stream
    this.#id = id
  }

  /** Takes a packet from the proxy. */
  receive(packet: Packet): void {
    this.#idleTimer?.refresh()
    if (packet.type === 'data' && packet.connectId === this.#id && packet.data.length > 0) {
      if (this.#state !== 'closed' && !this.destroyed && !this.push(packet.data)) this.#stream.pause()
    } else if (packet.type === 'closeResponse' && packet.connectId === this.#id) {
      this.#release()
      this.push(null)
    }
  }

  /** Ends the connection because the tunnel broke. */
  break(cause: Error): void {
    if (this.#state === 'closed') return
    this.#release()
    this.destroy(Object.assign(new Error('tunnel closed', { cause }), { code: 'ECONNRESET' }))
  }

  // Node's HTTP client calls the following methods of sockets.

  /** Emits `timeout` when no data was sent or received for some time. 0 switches this off. */
  setTimeout(timeoutMs: number, listener?: () => void): this {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = timeoutMs > 0 ? setTimeout(() => this.emit('timeout'), timeoutMs).unref() : undefined
    if (listener !== undefined) this.once('timeout', listener)
    return this
  }

  setKeepAlive(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  ref(): this {
    if (this.#state === 'open') this.#session.ref()
    return this
  }

  unref(): this {
    this.#session.unref()
    return this
  }

  override _read(): void {
    this.#stream.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    if (this.#state !== 'open') return done(Object.assign(new Error('tunnel closed'), { code: 'EPIPE' }))
    this.#idleTimer?.refresh()
    for (let at = 0; at < chunk.length; at += maxPacketSize) {
      const data = chunk.subarray(at, at + maxPacketSize)
      const isLast = at + maxPacketSize >= chunk.length
      // The callback of the last write waits for the flow control of the whole chunk.
      this.#stream.write(encodePacket({ type: 'data', connectId: this.#id, data }), isLast ? done : undefined)
    }
    if (chunk.length === 0) done()
  }

  override _final(done: () => void): void {
    this.#requestClose()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#idleTimer)
    this.#requestClose()
    done(error)
  }

  #requestClose(): void {
    if (this.#state !== 'open') return
    this.#state = 'closing'
    this.#stream.write(encodePacket({ type: 'closeRequest', connectId: this.#id }))
    // The confirmation must arrive even if nobody reads the connection.
    if (this.destroyed) this.#stream.resume()
    const timer = setTimeout(() => this.break(new Error('close timeout')), closeTimeoutMs).unref()
    this.#stream.once('close', () => clearTimeout(timer))
    this.#session.unref()
  }

  #release(): void {
    this.#state = 'closed'
    this.#session.destroy()
  }
}
