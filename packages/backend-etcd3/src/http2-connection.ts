import { connect, type ClientHttp2Session, type ClientHttp2Stream, type OutgoingHttpHeaders } from 'node:http2'
import type { Duplex } from 'node:stream'

/** With HTTP/2's own 64 KB a large answer waits for the network's round trip over and over. */
const flowControlWindow = 4 * 1024 * 1024
/** As the original: a dead server is noticed after 40 s of silence. */
const keepaliveInterval = 30_000
const keepaliveTimeout = 10_000
/** The streams of a connection have 2^30 numbers. */
const mostStreams = 1_000_000_000

/** One connection, from the server's settings to its end. */
export class Http2Connection {
  readonly #session: ClientHttp2Session
  readonly #timer: NodeJS.Timeout
  readonly #left: () => void
  #running = 0
  #begun = 0
  #begunBefore = 0

  /** `left`: it takes no more requests; those under way may still end. More than once. */
  constructor(session: ClientHttp2Session, left: () => void) {
    this.#session = session
    this.#left = left
    this.#timer = setInterval(() => this.#keepAlive(), keepaliveInterval)
    this.#timer.unref()
    session.once('close', () => {
      clearInterval(this.#timer)
      left()
    })
    session.on('goaway', left)
    session.on('error', left)
    session.setLocalWindowSize(flowControlWindow)
    session.unref()
  }

  /** Lost, and with it everything that was under way. Before Node 26 its streams close before the session is destroyed. */
  get lost(): boolean {
    return this.#session.destroyed || this.#session.socket.destroyed
  }

  /** Throws when the connection has just been left. While no request is under way it does not keep the process alive. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const stream = this.#session.request(headers)
    if (this.#running++ === 0) this.#session.ref()
    stream.on('close', () => {
      if (--this.#running === 0) this.#session.unref()
    })
    if (++this.#begun === mostStreams) {
      this.#left()
      this.#session.close()
    }
    return stream
  }

  close(): void {
    this.#session.destroy()
  }

  /** Only while there is something to ask for: servers end connections that ping without requests. */
  #keepAlive(): void {
    const isUsed = this.#running > 0 || this.#begun !== this.#begunBefore
    this.#begunBefore = this.#begun
    if (!isUsed) return
    const dead = setTimeout(() => this.#session.destroy(new Error('the server does not answer pings')), keepaliveTimeout)
    dead.unref()
    this.#session.ping(() => clearTimeout(dead))
  }
}

/** Open is a connection when the server has sent its settings: until then it may be somebody who hangs up at once. */
export function openHttp2(socket: Duplex, authority: string, signal: AbortSignal): Promise<ClientHttp2Session> {
  const session = connect(`http://${authority}`, {
    createConnection: () => socket,
    settings: { initialWindowSize: flowControlWindow, enablePush: false },
    // Answers are as large as they are; how much is asked for at once is the callers' concern.
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
