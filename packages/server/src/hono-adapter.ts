import type { UserInfo } from '@keelson/apimachinery'
import { Exchange, openFetchPair } from '@keelson/exchange'
import type { ExchangeServices, Incoming, Outgoing, Upgrade } from '@keelson/exchange'
import type { InstallerEnv, InstallerContext } from '@keelson/http-installer'
import type { Hono } from 'hono'
import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { UnsupportedPathError } from 'hono/router'
import type { Result, Router } from 'hono/router'
import type { ErrorHandler, H, Next, RouterRoute } from 'hono/types'

type Fetch = Hono<InstallerEnv>['fetch']

interface NodeListenerOptions {
  readonly fetch: Fetch
  readonly services: ExchangeServices
  /** Called if the app itself throws. Handlers of routes answer their own errors. */
  readonly onError: (error: unknown, exchange: Exchange) => void
}

interface NodeListener {
  request(incoming: Incoming, outgoing: Outgoing): void
  /** Serves a request to change the protocol. Its handler either takes over the socket or sends a response. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Serves a request without a connection. `user` is the user of the request, if the caller has authenticated it. */
  fetch(request: Request, user?: UserInfo): Promise<Response>
  /** Aborts all unfinished responses of `fetch`. */
  close(): void
}

/**
 * Creates the listener for Node's requests. It opens an exchange for each request and passes it to the Hono app as the bindings (`c.env`).
 */
export function createNodeListener({ fetch, services, onError }: NodeListenerOptions): NodeListener {
  const fetched = new Set<Outgoing>()
  function serve(exchange: Exchange): void {
    const onFailure = (error: unknown): void => {
      exchange.bodyReservation?.release()
      onError(error, exchange)
      exchange.outgoing.destroy()
    }
    const onAnswer = (response: Response): Promise<void> | undefined => {
      exchange.bodyReservation?.release()
      const { outgoing } = exchange
      return outgoing.headersSent || outgoing.destroyed ? undefined : writeResponse(response, exchange).catch(onFailure)
    }
    try {
      const answer = fetch(new HonoRequest(exchange) as unknown as Request, exchange)
      if (answer instanceof Promise) answer.then(onAnswer, onFailure)
      else void onAnswer(answer)
    } catch (error) {
      onFailure(error)
    }
  }
  return {
    request: (incoming, outgoing) => {
      // Discards the unread body, because it would block the next request on the connection.
      if (incoming.method !== 'GET' && incoming.method !== 'HEAD') outgoing.on('close', () => drainIncoming(incoming))
      serve(new Exchange(incoming, outgoing, services))
    },
    upgrade: (incoming, socket, head) => {
      socket.on('error', () => socket.destroy())
      const outgoing = createLastResponse(incoming, socket as Socket)
      if (outgoing === undefined) socket.destroy()
      else serve(new Exchange(incoming, outgoing, services, { socket, head } satisfies Upgrade))
    },
    fetch: (request, user) =>
      new Promise((resolve, reject) => {
        const { incoming, outgoing } = openFetchPair(request, { resolve, reject })
        if (outgoing.destroyed) return
        fetched.add(outgoing)
        outgoing.on('close', () => fetched.delete(outgoing))
        const exchange = new Exchange(incoming, outgoing, services)
        exchange.presetUser = user
        serve(exchange)
      }),
    close: () => {
      for (const outgoing of fetched) outgoing.destroy()
    },
  }
}

/**
 * Creates a response on a connection that Node's server has released after an upgrade request. If the handler sends a normal response, the
 * connection closes after it. Returns undefined if an earlier pipelined request has no complete response yet.
 */
function createLastResponse(incoming: IncomingMessage, socket: Socket): ServerResponse | undefined {
  const outgoing = new ServerResponse(incoming)
  try {
    outgoing.assignSocket(socket)
  } catch {
    return undefined
  }
  outgoing.shouldKeepAlive = false
  outgoing.once('finish', () => socket.destroySoon())
  return outgoing
}

/** Writes a standard `Response` that a custom handler returned. Such responses are expected to be short. */
async function writeResponse(response: Response, { outgoing, commonHeaders }: Exchange): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer())
  const headers: string[] = [...commonHeaders, 'content-length', String(body.length)]
  for (const [name, value] of response.headers) if (name !== 'content-length') headers.push(name, value)
  ;(outgoing as ServerResponse).writeHead(response.status, headers)
  outgoing.end(body)
}

/**
 * The members of `Request` that Hono's context reads: method, URL and headers. The adapter of @hono/node-server has all members, but costs
 * more than a small response. Handlers read bodies from Node's request instead.
 */
class HonoRequest {
  readonly method: string
  readonly url: string
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.method = exchange.method
    this.url = exchange.incoming.url ?? '/'
    this.#exchange = exchange
  }

  get headers(): this {
    return this
  }

  /** Returns the value of a header, like `Headers.get`. */
  get(name: string): string | null {
    return this.#exchange.getHeader(name.toLowerCase()) ?? null
  }
}

const drainTimeoutMs = 500
const maxBytes = 64 * 1024 * 1024

/**
 * Reads and discards the rest of a request's body, so that the connection can serve the next request. If the client sends too much or too
 * slowly, closes the connection (HTTP/2: the stream).
 */
function drainIncoming(incoming: Incoming): void {
  if (incoming.readableEnded || incoming.destroyed) return
  if ('stream' in incoming && incoming.httpVersionMajor === 2) {
    incoming.stream.close()
    return
  }
  let bytes = 0
  const giveUp = (): void => {
    stopDraining()
    incoming.socket.destroySoon()
  }
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > maxBytes) giveUp()
  }
  const timer = setTimeout(giveUp, drainTimeoutMs)
  timer.unref()
  const stopDraining = (): void => {
    clearTimeout(timer)
    incoming.off('data', onData).off('end', stopDraining).off('error', stopDraining).off('close', stopDraining)
  }
  incoming.on('data', onData).on('end', stopDraining).on('error', stopDraining).on('close', stopDraining)
  incoming.resume()
}

type Serve = H<InstallerEnv>
type Route = [serve: Serve, route: RouterRoute]

interface Added {
  readonly method: string
  readonly pattern: string
  readonly route: Route
}

interface Prefix {
  readonly text: string
  readonly pattern: string
  /** True if a path below the prefix was added, too. */
  readonly holdsPaths: boolean
}

const noMatch: Result<Route> = [[]]

/**
 * A router for complete paths ("/version") and prefixes ("/api/*"). It rejects other patterns, so that another router handles them. It
 * composes the handlers of a pattern once and caches the result. Hono's routers match a regular expression and compose the handlers for
 * each request, which costs more than the filters. A result of `match` has one handler without parameters: `[[[[handler, route], {}]]]`.
 */
export class PathRouter implements Router<Route> {
  readonly name = 'PathRouter'
  readonly #onError: ErrorHandler<InstallerEnv>
  readonly #added: Added[] = []
  readonly #methods = new Set<string>()
  readonly #paths = new Set<string>()
  /** Prefixes, sorted by decreasing length. */
  #prefixes: readonly Prefix[] = []
  /** Cached results by method, and then by path or prefix. */
  readonly #results = new Map<string, Map<string, Result<Route>>>()

  constructor(onError: ErrorHandler<InstallerEnv>) {
    this.#onError = onError
  }

  add(method: string, pattern: string, route: Route): void {
    const isPrefix = pattern.endsWith('/*')
    if (/[:{*]/.test(isPrefix ? pattern.slice(0, -1) : pattern)) throw new UnsupportedPathError()
    this.#added.push({ method, pattern, route })
    this.#methods.add(method)
    // A prefix pattern such as "/api/*" also matches "/api".
    this.#paths.add(isPrefix ? pattern.slice(0, -2) : pattern)
    const patterns = new Set(this.#added.map((added) => added.pattern).filter((added) => added.endsWith('/*')))
    this.#prefixes = [...patterns].sort((a, b) => b.length - a.length).map((each) => this.#getPrefix(each))
    this.#results.clear()
  }

  #getPrefix(pattern: string): Prefix {
    const text = pattern.slice(0, -1)
    return { text, pattern, holdsPaths: [...this.#paths].some((path) => path.startsWith(text)) }
  }

  match(method: string, path: string): Result<Route> {
    const prefix = this.#prefixes.find(({ text }) => path.startsWith(text))
    const key = prefix?.holdsPaths !== false && this.#paths.has(path) ? path : prefix?.pattern
    if (key === undefined) return noMatch
    // Unknown methods share one cache entry, because clients may send any method name.
    const methodKey = this.#methods.has(method) ? method : 'ALL'
    let results = this.#results.get(methodKey)
    if (results === undefined) this.#results.set(methodKey, (results = new Map<string, Result<Route>>()))
    let result = results.get(key)
    if (result === undefined) results.set(key, (result = this.#resolve(methodKey, path)))
    return result
  }

  #resolve(method: string, path: string): Result<Route> {
    const routes = this.#added.filter((added) => (added.method === 'ALL' || added.method === method) && matches(added.pattern, path))
    if (routes.length === 0) return noMatch
    const serve = routes.map(({ route }) => route[0]).reduceRight((inner, outer) => this.#join(outer, inner))
    return [[[[serve, routes[0]!.route[1]], {}]]]
  }

  /**
   * Composes two handlers: the second one becomes the `next` of the first one. As in Hono, an error of the second handler is answered
   * before the first one continues.
   */
  #join(outer: Serve, inner: Serve): Serve {
    const serveBehind = async (c: InstallerContext, next: Next): Promise<void> => {
      try {
        const answer = await inner(c, next)
        if (answer && !c.finalized) c.res = answer
      } catch (error) {
        if (!(error instanceof Error)) throw error
        c.error = error
        c.res = await this.#onError(error, c)
      }
    }
    return (c, next) => outer(c, () => serveBehind(c, next))
  }
}

function matches(pattern: string, path: string): boolean {
  if (!pattern.endsWith('/*')) return pattern === path
  return path.startsWith(pattern.slice(0, -1)) || path === pattern.slice(0, -2)
}
