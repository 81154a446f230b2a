import { connect, type ClientHttp2Session, type ClientHttp2Stream, type OutgoingHttpHeaders } from 'node:http2'
import type { Duplex } from 'node:stream'

/** Size of the receive window in bytes. HTTP/2's default is 64 KB. With it, a large response waits for many network round trips. */
const flowControlWindow = 4 * 1024 * 1024
/** Interval of pings in milliseconds. As in kube-apiserver, a dead server is detected after 40 s of silence. */
const keepaliveInterval = 30_000
const keepaliveTimeout = 10_000
/** Maximum number of requests of one connection. HTTP/2 allows 2^30 stream ids for each connection. */
const maxStreams = 1_000_000_000

/** One HTTP/2 connection, from the arrival of the server's settings to its end. */
export class Http2Connection {
  readonly #session: ClientHttp2Session
  readonly #timer: NodeJS.Timeout
  readonly #onLeft: () => void
  #pendingRequests = 0
  #startedRequests = 0
  #startedAtLastCheck = 0

  /**
   * Wraps an open session. Calls `onUnusable` when the connection accepts no more requests, possibly several times. Pending requests may still
   * finish.
   */
  constructor(session: ClientHttp2Session, onUnusable: () => void) {
    this.#session = session
    this.#onLeft = onUnusable
    this.#timer = setInterval(() => this.#keepAlive(), keepaliveInterval)
    this.#timer.unref()
    session.once('close', () => {
      clearInterval(this.#timer)
      onUnusable()
    })
    session.on('goaway', onUnusable)
    session.on('error', onUnusable)
    session.setLocalWindowSize(flowControlWindow)
    session.unref()
  }

  /** True if the connection and all its pending requests are lost. Before Node 26, streams close before the session is destroyed. */
  get isLost(): boolean {
    return this.#session.destroyed || this.#session.socket.destroyed
  }

  /** Starts a request. Throws if the connection has just closed. The connection keeps the process alive only as long as requests are pending. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const stream = this.#session.request(headers)
    if (this.#pendingRequests++ === 0) this.#session.ref()
    stream.on('close', () => {
      if (--this.#pendingRequests === 0) this.#session.unref()
    })
    if (++this.#startedRequests === maxStreams) {
      this.#onLeft()
      this.#session.close()
    }
    return stream
  }

  close(): void {
    this.#session.destroy()
  }

  /** Sends a ping if there were requests since the last call. Servers close connections that send pings without requests. */
  #keepAlive(): void {
    const isUsed = this.#pendingRequests > 0 || this.#startedRequests !== this.#startedAtLastCheck
    this.#startedAtLastCheck = this.#startedRequests
    if (!isUsed) return
    const timeout = setTimeout(() => this.#session.destroy(new Error('the server does not answer pings')), keepaliveTimeout)
    timeout.unref()
    this.#session.ping(() => clearTimeout(timeout))
  }
}

/** Opens an HTTP/2 session. Resolves when the server's settings have arrived, because the server may close the connection before that. */
export function openHttp2(socket: Duplex, authority: string, signal: AbortSignal): Promise<ClientHttp2Session> {
  const session = connect(`http://${authority}`, {
    createConnection: () => socket,
    settings: { initialWindowSize: flowControlWindow, enablePush: false },
    // Disables the session's limit for the size of a response, because callers have their own limits.
    maxSessionMemory: Number.MAX_SAFE_INTEGER,
  })
  return new Promise((resolve, reject) => {
    let failure: Error | undefined
    const abort = (): void => session.destroy(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    session.on('error', (error: Error) => (failure = error))
    session.once('close', () => {
      signal.removeEventListener('abort', abort)
      reject(failure ?? new Error('the server closed the connection'))
    })
    session.once('remoteSettings', () => {
      signal.removeEventListener('abort', abort)
      resolve(session)
    })
  })
}
