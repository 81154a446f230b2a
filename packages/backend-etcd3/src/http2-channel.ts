import type { Dial } from './dial.ts'
import { Http2Connection, openHttp2 } from './http2-connection.ts'

const attemptTimeout = 20_000
const initialPause = 100
const maxPause = 2000

export interface Http2ChannelOptions {
  readonly dial: Dial
  /** Value of `:authority` in requests: "host:port". */
  readonly authority: string
  readonly scheme: 'http' | 'https'
}

/**
 * A shared connection to one server. Connects on demand, with one attempt at a time. Connects again after the connection is lost:
 *
 *     none ──call──▶ connecting ──settings──▶ open ──lost or GOAWAY──▶ none
 *       ▲                │
 *       └─── pausing ◀───┘ failed: calls fail immediately for 0.1 s, then for longer
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
  #pause = initialPause

  constructor({ dial, authority, scheme }: Http2ChannelOptions) {
    this.#dial = dial
    this.authority = authority
    this.scheme = scheme
  }

  /** The open connection; undefined if the channel is not connected. */
  get current(): Http2Connection | undefined {
    return this.#current
  }

  /** Returns the open connection. If there is none, connects first. Rejects with the reason if connecting fails. */
  connect(): Promise<Http2Connection> {
    if (this.#current) return Promise.resolve(this.#current)
    if (this.#failure && performance.now() < this.#failure.until) return Promise.reject(this.#failure.error)
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  close(): void {
    this.#abort.abort(new Error('the channel was closed'))
    for (const connection of this.#connections) connection.close()
  }

  async #connect(): Promise<Http2Connection> {
    const attempt = new AbortController()
    const timer = setTimeout(() => attempt.abort(new Error('connecting timed out')), attemptTimeout)
    const abortAttempt = (): void => attempt.abort(this.#abort.signal.reason)
    this.#abort.signal.addEventListener('abort', abortAttempt)
    try {
      this.#abort.signal.throwIfAborted()
      const session = await openHttp2(await this.#dial(attempt.signal), this.authority, attempt.signal)
      const connection = new Http2Connection(session, () => {
        if (this.#current === connection) this.#current = undefined
        if (connection.isLost) this.#connections.delete(connection)
      })
      this.#connections.add(connection)
      this.#current = connection
      this.#pause = initialPause
      this.#failure = undefined
      return connection
    } catch (cause) {
      const error = cause as Error
      this.#failure = { error, until: performance.now() + this.#pause }
      this.#pause = Math.min(this.#pause * 1.6, maxPause)
      throw error
    } finally {
      clearTimeout(timer)
      this.#abort.signal.removeEventListener('abort', abortAttempt)
    }
  }
}
