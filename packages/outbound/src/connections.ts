import { Agent } from 'node:http'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { OutboundError } from './failure.ts'
import { ClientSession } from './http2/client-session.ts'

/** Limits of the connections of one client. */
export interface ConnectionBounds {
  /** Maximum number of open connections. Further requests wait. */
  readonly maxConnections: number
  /** Time after which an unused connection is closed, in milliseconds. */
  readonly idleTimeoutMs: number
}

/** Opens a connection that speaks one of `protocols`. */
export type OpenConnection = (protocols: readonly string[]) => Promise<Duplex>

/** A connection that is reserved for one request: an HTTP/1.1 agent or an HTTP/2 session. */
export type ReservedConnection =
  | {
      readonly protocol: 'h2'
      readonly session: ClientSession
      /** Whether the session has served an earlier request, so that the server may have closed it in the meantime. */
      readonly isReused: boolean
      release(): void
    }
  | { readonly protocol: 'http/1.1'; readonly agent: Agent; release(): void }

/** Maximum number of concurrent streams of a session, as in Go's client. The server may allow fewer. */
const maxStreams = 1000
/** Interval in milliseconds at which the server of an HTTP/2 session with open streams is pinged, as in client-go. */
const pingIntervalMs = 30_000
/** Timeout of an HTTP/2 ping in milliseconds. */
const pingTimeoutMs = 15_000
/** Bytes of one response that an HTTP/2 server may send before they are read. They stay in memory while a slow client reads. */
const streamWindow = 256 * 1024
/** Bytes of all responses of an HTTP/2 session that its server may send before they arrive. */
const sessionWindow = 16 * 1024 * 1024

interface Session {
  readonly session: ClientSession
  streams: number
  isUsed: boolean
  idleTimer: NodeJS.Timeout | undefined
}

/**
 * The connections of one client. The first connection negotiates the protocol. With HTTP/2, requests share a few sessions. With HTTP/1.1, an
 * agent pools connections.
 *
 * undici was considered instead. It aborts running requests when a server sends GOAWAY, which happens at each restart. During a burst of
 * requests, it opens the maximum number of HTTP/2 connections. It does not limit the size of responses over HTTP/2. Version 8 needs Node 22.19.
 */
export class Connections {
  readonly #open: OpenConnection
  readonly #bounds: ConnectionBounds
  readonly #mayHttp2: boolean
  readonly #sessions = new Set<Session>()
  /** Sessions that take no further requests. Their open streams continue. */
  readonly #closing = new Set<ClientSession>()
  readonly #waiting = new Set<{ wake(): void }>()
  #protocol: 'h2' | 'http/1.1' | undefined
  #probe: Promise<void> | undefined
  #agent: Agent | undefined
  /** Number of running HTTP/1.1 requests. Each uses one connection. The agent's own limit ignores connections that are being opened. */
  #running = 0
  #firstSocket: Duplex | undefined
  #closed = false
  #isRetired = false

  constructor(open: OpenConnection, bounds: ConnectionBounds, mayHttp2: boolean) {
    this.#open = open
    this.#bounds = bounds
    this.#mayHttp2 = mayHttp2
    if (!mayHttp2) this.#protocol = 'http/1.1'
  }

  /**
   * Reserves a connection for one request, and waits for one if necessary. Rejects with an `OutboundError` if connecting fails or `signal`
   * is aborted.
   */
  async reserve(signal: AbortSignal): Promise<ReservedConnection> {
    for (;;) {
      const free = this.take()
      if (free !== undefined) return free
      if (this.#probe !== undefined || this.#mayOpen) {
        // Concurrent requests wait for the same new connection, because one HTTP/2 session may serve all of them.
        this.#probe ??= this.#connect().finally(() => (this.#probe = undefined))
        await waitUnlessAborted(this.#probe, signal)
      } else await this.#wait(signal)
    }
  }

  /** Reserves a connection for one request if that is possible without waiting. */
  take(): ReservedConnection | undefined {
    if (this.#closed) throw new OutboundError('canceled', 'http: client is closed')
    if (this.#protocol === 'http/1.1') return this.#running < this.#bounds.maxConnections ? this.#takeHttp1() : undefined
    const session = this.#freeSession()
    return session && this.#takeHttp2(session)
  }

  /** Opens a connection for HTTP/1.1 that the caller owns. */
  async open(signal: AbortSignal): Promise<Duplex> {
    if (this.#closed) throw new OutboundError('canceled', 'http: client is closed')
    const opened = this.#open(this.#mayHttp2 ? ['http/1.1'] : [])
    try {
      return await waitUnlessAborted(opened, signal)
    } catch (error) {
      void opened.then(
        (socket) => socket.destroy(),
        () => {},
      )
      throw error
    }
  }

  /** Pings the server of a session. Closes the session if no answer arrives in time. */
  check(session: ClientSession): void {
    if (session.hasEnded || session.isPinging) return
    const timer = setTimeout(() => session.destroy(), pingTimeoutMs).unref()
    session.ping(() => clearTimeout(timer))
  }

  /** Closes each connection after its requests. Requests that wait for a connection still get one. */
  retire(): void {
    this.#isRetired = true
    for (const { session } of this.#sessions) session.close()
    this.#closeFreeSockets()
  }

  close(): void {
    this.#closed = true
    this.#agent?.destroy()
    this.#firstSocket?.destroy()
    for (const { session } of this.#sessions) session.destroy()
    for (const session of this.#closing) session.destroy()
    for (const each of this.#waiting) each.wake()
  }

  async #connect(): Promise<void> {
    try {
      const socket = await this.#open(['h2', 'http/1.1'])
      if (this.#closed) socket.destroy()
      else if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') this.#addSession(socket)
      else this.#useHttp1(socket)
      this.#wakeForFree()
    } catch (error) {
      // One of those who wait for a stream may try again.
      this.#wakeOne()
      throw error
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
    this.#protocol = 'h2'
    const session = new ClientSession(socket, {
      streamWindow,
      sessionWindow,
      maxStreams,
      onSettings: () => this.#wakeForFree(),
      onClosing: () => {
        clearTimeout(entry.idleTimer)
        this.#sessions.delete(entry)
        this.#closing.add(session)
        // The next connection negotiates the protocol again, because the server may have been replaced.
        if (this.#sessions.size === 0 && this.#protocol === 'h2') this.#protocol = undefined
        this.#wakeOne()
      },
      onClose: () => {
        clearInterval(pingTimer)
        this.#closing.delete(session)
      },
    })
    const entry: Session = { session, streams: 0, isUsed: false, idleTimer: undefined }
    const pingTimer = setInterval(() => {
      session.allowEmptyFrames()
      if (entry.streams > 0) this.check(session)
    }, pingIntervalMs).unref()
    this.#sessions.add(entry)
    this.#startIdling(entry)
    session.unref()
  }

  /** Whether another connection may be opened. The settings of a session are awaited first, because they may allow more streams. */
  get #mayOpen(): boolean {
    if (this.#protocol === 'http/1.1' || this.#sessions.size >= this.#bounds.maxConnections) return false
    for (const { session } of this.#sessions) if (!session.hasSettings) return false
    return true
  }

  #freeSession(): Session | undefined {
    for (const entry of this.#sessions) {
      const { session } = entry
      if (session.isOpen && entry.streams < session.maxStreams) return entry
    }
    return undefined
  }

  #takeHttp2(entry: Session): ReservedConnection {
    clearTimeout(entry.idleTimer)
    if (entry.streams++ === 0) entry.session.ref()
    const isReused = entry.isUsed
    entry.isUsed = true
    return {
      protocol: 'h2',
      session: entry.session,
      isReused,
      release: callOnce(() => {
        if (--entry.streams === 0) {
          entry.session.unref()
          if (this.#isRetired) entry.session.close()
          else if (entry.session.isOpen) this.#startIdling(entry)
        }
        this.#wakeOne()
      }),
    }
  }

  #takeHttp1(): ReservedConnection {
    this.#running++
    return {
      protocol: 'http/1.1',
      agent: this.#createAgent(),
      release: callOnce(() => {
        this.#running--
        this.#wakeOne()
        // Node returns the socket to the agent after this callback.
        if (this.#isRetired) setImmediate(() => this.#closeFreeSockets())
      }),
    }
  }

  #closeFreeSockets(): void {
    for (const socket of Object.values(this.#agent?.freeSockets ?? {}).flat()) socket?.destroy()
    this.#firstSocket?.destroy()
  }

  #startIdling(entry: Session): void {
    entry.idleTimer = setTimeout(() => entry.session.close(), this.#bounds.idleTimeoutMs).unref()
  }

  #createAgent(): Agent {
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
      await waitUnlessAborted(woken, signal)
    } finally {
      this.#waiting.delete(entry!)
    }
  }

  /** Wakes as many waiting requests as can start. */
  #wakeForFree(): void {
    let free = this.#protocol === 'http/1.1' ? this.#bounds.maxConnections - this.#running : this.#mayOpen ? 1 : 0
    for (const { session, streams } of this.#sessions) free += Math.max(0, session.maxStreams - streams)
    for (; free > 0 && this.#waiting.size > 0; free--) this.#wakeOne()
  }

  #wakeOne(): void {
    const [next] = this.#waiting
    if (next === undefined) return
    this.#waiting.delete(next)
    next.wake()
  }
}

/** Returns a function that calls `action` the first time only. */
export function callOnce(action: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    action()
  }
}

/** Rejects with the reason of `signal` once it is aborted. */
export function waitUnlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
