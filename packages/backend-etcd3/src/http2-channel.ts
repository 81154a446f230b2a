import type { Dial } from './dial.ts'
import { Http2Connection, openHttp2 } from './http2-connection.ts'

const attemptTimeout = 20_000
const firstPause = 100
const longestPause = 2000

export interface Http2ChannelOptions {
  readonly dial: Dial
  /** "host:port", as requests name the server. */
  readonly authority: string
  readonly scheme: 'http' | 'https'
}

/**
 * The way to one server that calls share. A connection is made when a call wants one, one at a time, and again when it is lost:
 *
 *     none ──call──▶ connecting ──settings──▶ open ──lost, or the server says goodbye──▶ none
 *       ▲                │
 *       └─── pausing ◀───┘ failed: for 0.1 s, then longer, calls fail without another attempt
 */
export class Http2Channel {
  readonly authority: string
  readonly scheme: 'http' | 'https'
  readonly #dial: Dial
  readonly #connections = new Set<Http2Connection>()
  readonly #abort = new AbortController()
  #current: Http2Connection | undefined
  #connecting: Promise<Http2Connection> | undefined
  #failure: { readonly error: Error; readonly until: number } | undefined
  #pause = firstPause

  constructor({ dial, authority, scheme }: Http2ChannelOptions) {
    this.#dial = dial
    this.authority = authority
    this.scheme = scheme
  }

  /** The open connection, if there is one. */
  get current(): Http2Connection | undefined {
    return this.#current
  }

  /** Rejects with what kept it from being made. */
  connect(): Promise<Http2Connection> {
    if (this.#current) return Promise.resolve(this.#current)
    if (this.#failure && performance.now() < this.#failure.until) return Promise.reject(this.#failure.error)
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  close(): void {
    this.#abort.abort(new Error('it was closed'))
    for (const connection of this.#connections) connection.close()
  }

  async #connect(): Promise<Http2Connection> {
    const attempt = new AbortController()
    const timer = setTimeout(() => attempt.abort(new Error('it takes too long')), attemptTimeout)
    const closed = (): void => attempt.abort(this.#abort.signal.reason)
    this.#abort.signal.addEventListener('abort', closed)
    try {
      this.#abort.signal.throwIfAborted()
      const session = await openHttp2(await this.#dial(attempt.signal), this.authority, attempt.signal)
      const connection = new Http2Connection(session, () => {
        if (this.#current === connection) this.#current = undefined
        if (connection.lost) this.#connections.delete(connection)
      })
      this.#connections.add(connection)
      this.#current = connection
      this.#pause = firstPause
      this.#failure = undefined
      return connection
    } catch (cause) {
      const error = cause as Error
      this.#failure = { error, until: performance.now() + this.#pause }
      this.#pause = Math.min(this.#pause * 1.6, longestPause)
      throw error
    } finally {
      clearTimeout(timer)
      this.#abort.signal.removeEventListener('abort', closed)
    }
  }
}
