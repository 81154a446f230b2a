import { Agent } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { OutboundError } from './failure.ts'

/** Bounds of the connections of one client. */
export interface ConnectionBounds {
  /** Connections at the same time. Further requests wait. */
  readonly maxConnections: number
  /** An unused connection is closed after this time, ms. */
  readonly idleTimeoutMs: number
}

/** Opens a connection that speaks one of `protocols`. */
export type OpenConnection = (protocols: readonly string[]) => Promise<Duplex>

/** A way to send one request. */
export type Lane =
  | { readonly protocol: 'h2'; readonly session: ClientHttp2Session; release(): void }
  | { readonly protocol: 'http/1.1'; readonly agent: Agent; release(): void }

/** Streams at the same time on one session, unless the server allows fewer: as many as Go's client opens. */
const maxStreams = 1000
/** An answer to a ping takes at most this time, ms. */
const pingTimeoutMs = 15_000

interface Session {
  readonly session: ClientHttp2Session
  streams: number
  idleTimer: NodeJS.Timeout | undefined
}

/**
 * The connections of one client. The first one finds out the protocol: HTTP/2 shares a few sessions, HTTP/1.1 keeps an agent.
 *
 * undici was tried instead. It ends running requests when a server says goodbye (GOAWAY), as each one does when it is restarted; opens as many
 * HTTP/2 connections as it may when requests come in a burst; and does not limit answers over HTTP/2. Version 8 needs Node 22.19.
 */
export class Connections {
  readonly #open: OpenConnection
  readonly #bounds: ConnectionBounds
  readonly #mayHttp2: boolean
  readonly #sessions = new Set<Session>()
  readonly #waiting = new Set<{ wake(): void }>()
  #protocol: 'h2' | 'http/1.1' | undefined
  #probe: Promise<void> | undefined
  #agent: Agent | undefined
  /** Requests over HTTP/1.1, each with a connection. The agent's own limit ignores connections that are being opened. */
  #running = 0
  #firstSocket: Duplex | undefined
  #opening = 0
  #closed = false

  constructor(open: OpenConnection, bounds: ConnectionBounds, mayHttp2: boolean) {
    this.#open = open
    this.#bounds = bounds
    this.#mayHttp2 = mayHttp2
    if (!mayHttp2) this.#protocol = 'http/1.1'
  }

  /** Rejects with an `OutboundError` if there is no connection. Ends when `signal` is aborted. */
  async lane(signal: AbortSignal): Promise<Lane> {
    for (;;) {
      if (this.#closed) throw new OutboundError('canceled', 'http: client is closed')
      if (this.#protocol === 'http/1.1' && this.#running < this.#bounds.maxConnections) return this.#takeHttp1()
      if (this.#protocol === 'http/1.1') {
        await this.#wait(signal)
        continue
      }
      const free = this.#freeSession()
      if (free !== undefined) return this.#take(free)
      if (this.#sessions.size + this.#opening < this.#bounds.maxConnections) {
        // Requests of a burst wait for one connection; it may serve them all.
        this.#probe ??= this.#connect().finally(() => (this.#probe = undefined))
        await untilAborted(this.#probe, signal)
      } else await this.#wait(signal)
    }
  }

  /** Finds out whether the server of a session still answers. Closes the session if not. */
  check(session: ClientHttp2Session): void {
    if (session.destroyed || session.closed) return
    const timer = setTimeout(() => session.destroy(new OutboundError('closed', 'http2: client connection lost')), pingTimeoutMs).unref()
    try {
      session.ping(() => clearTimeout(timer))
    } catch {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#closed = true
    this.#agent?.destroy()
    this.#firstSocket?.destroy()
    for (const { session } of this.#sessions) session.destroy()
    for (const each of this.#waiting) each.wake()
  }

  async #connect(): Promise<void> {
    this.#opening++
    try {
      const socket = await this.#open(['h2', 'http/1.1'])
      if (this.#closed) socket.destroy()
      else if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') this.#addSession(socket)
      else this.#useHttp1(socket)
    } finally {
      this.#opening--
    }
  }

  #useHttp1(socket: Duplex): void {
    this.#protocol = 'http/1.1'
    this.#firstSocket = socket
    socket.once('close', () => {
      if (this.#firstSocket === socket) this.#firstSocket = undefined
    })
    socket.on('error', () => {})
  }

  #addSession(socket: TLSSocket): void {
    const session = connectHttp2('https://localhost', {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: 1 << 20 },
    })
    this.#protocol = 'h2'
    const entry: Session = { session, streams: 0, idleTimer: undefined }
    this.#sessions.add(entry)
    // The requests report errors.
    session.on('error', () => {})
    const drop = (): void => {
      clearTimeout(entry.idleTimer)
      if (!this.#sessions.delete(entry)) return
      // The server may speak another protocol by now.
      if (this.#sessions.size === 0 && this.#protocol === 'h2') this.#protocol = undefined
      this.#wakeOne()
    }
    // No new streams after a GOAWAY; open streams continue.
    session.once('goaway', drop)
    session.once('close', drop)
    this.#startIdling(entry)
    session.unref()
  }

  #freeSession(): Session | undefined {
    for (const entry of this.#sessions) {
      const { session } = entry
      const limit = Math.min(session.remoteSettings.maxConcurrentStreams ?? maxStreams, maxStreams)
      if (!session.closed && !session.destroyed && entry.streams < limit) return entry
    }
    return undefined
  }

  #take(entry: Session): Lane {
    clearTimeout(entry.idleTimer)
    if (entry.streams++ === 0) entry.session.ref()
    return {
      protocol: 'h2',
      session: entry.session,
      release: once(() => {
        if (--entry.streams === 0) {
          entry.session.unref()
          this.#startIdling(entry)
        }
        this.#wakeOne()
      }),
    }
  }

  #takeHttp1(): Lane {
    this.#running++
    return {
      protocol: 'http/1.1',
      agent: this.#agentOf(),
      release: once(() => {
        this.#running--
        this.#wakeOne()
      }),
    }
  }

  #startIdling(entry: Session): void {
    entry.idleTimer = setTimeout(() => entry.session.close(), this.#bounds.idleTimeoutMs).unref()
  }

  #agentOf(): Agent {
    if (this.#agent !== undefined) return this.#agent
    const { maxConnections, idleTimeoutMs } = this.#bounds
    const agent = new Agent({ keepAlive: true, maxFreeSockets: maxConnections, timeout: idleTimeoutMs })
    agent.createConnection = (_options, done) => {
      const first = this.#firstSocket
      this.#firstSocket = undefined
      if (first !== undefined && !first.destroyed) return first
      this.#open(this.#mayHttp2 ? ['http/1.1'] : []).then(
        (socket) => done?.(null, socket),
        (error: unknown) => done?.(error as Error, undefined as unknown as Duplex),
      )
      return undefined
    }
    return (this.#agent = agent)
  }

  async #wait(signal: AbortSignal): Promise<void> {
    let entry: { wake(): void } | undefined
    const woken = new Promise<void>((resolve) => this.#waiting.add((entry = { wake: resolve })))
    try {
      await untilAborted(woken, signal)
    } finally {
      this.#waiting.delete(entry!)
    }
  }

  #wakeOne(): void {
    const [next] = this.#waiting
    if (next === undefined) return
    this.#waiting.delete(next)
    next.wake()
  }
}

function once(action: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    action()
  }
}

/** Rejects with the reason of `signal` once it is aborted. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
