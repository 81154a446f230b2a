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
  /** Called when the app itself fails; its routes answer their own errors. */
  readonly onError: (error: unknown, exchange: Exchange) => void
}

interface NodeListener {
  request(incoming: Incoming, outgoing: Outgoing): void
  /** For a request that asks to change the protocol: its handler may take the socket, or answer. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Serves a request without a connection. `user`: authenticated by the caller. */
  fetch(request: Request, user?: UserInfo): Promise<Response>
  /** Breaks off the responses to `fetch` that are not finished. */
  close(): void
}

/** Opens an exchange for each of node's requests and hands it to a Hono app as the bindings (`c.env`). */
export function createNodeListener({ fetch, services, onError }: NodeListenerOptions): NodeListener {
  const fetched = new Set<Outgoing>()
  function serve(exchange: Exchange): void {
    const failed = (error: unknown): void => {
      exchange.heldBody?.release()
      onError(error, exchange)
      exchange.outgoing.destroy()
    }
    const answered = (response: Response): Promise<void> | undefined => {
      exchange.heldBody?.release()
      const { outgoing } = exchange
      return outgoing.headersSent || outgoing.destroyed ? undefined : writeResponse(response, exchange).catch(failed)
    }
    try {
      const answer = fetch(new HonoRequest(exchange) as unknown as Request, exchange)
      if (answer instanceof Promise) answer.then(answered, failed)
      else void answered(answer)
    } catch (error) {
      failed(error)
    }
  }
  return {
    request: (incoming, outgoing) => {
      // An unread body must not keep the connection from its next request.
      if (incoming.method !== 'GET' && incoming.method !== 'HEAD') outgoing.on('close', () => drainIncoming(incoming))
      serve(new Exchange(incoming, outgoing, services))
    },
    upgrade: (incoming, socket, head) => {
      socket.on('error', () => socket.destroy())
      const outgoing = lastResponse(incoming, socket as Socket)
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
 * A response on a connection that node's server has let go. If it is an ordinary one after all, it is the connection's last.
 * Undefined: an earlier response is still being written, to a client that pipelines.
 */
function lastResponse(incoming: IncomingMessage, socket: Socket): ServerResponse | undefined {
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

/** For an embedder's handlers that answer with a `Response`. Such responses are short. */
async function writeResponse(response: Response, { outgoing, commonHeaders }: Exchange): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer())
  const headers: string[] = [...commonHeaders, 'content-length', String(body.length)]
  for (const [name, value] of response.headers) if (name !== 'content-length') headers.push(name, value)
  ;(outgoing as ServerResponse).writeHead(response.status, headers)
  outgoing.end(body)
}

/**
 * The part of a `Request` that Hono's context reads: method, URL and headers. @hono/node-server's own adapter, which offers all of `Request`, costs more than
 * a small response; handlers read bodies from the node request.
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

  /** A header's value, as `Headers.get` returns it. */
  get(name: string): string | null {
    return this.#exchange.header(name.toLowerCase()) ?? null
  }
}

const patienceMs = 500
const maxBytes = 64 * 1024 * 1024

/**
 * Reads the rest of a request's body and discards it, so that the connection can serve the next request. A client that sends too much, or too
 * slowly, loses the connection (HTTP/2: the stream).
 */
function drainIncoming(incoming: Incoming): void {
  if (incoming.readableEnded || incoming.destroyed) return
  if ('stream' in incoming && incoming.httpVersionMajor === 2) {
    incoming.stream.close()
    return
  }
  let bytes = 0
  const giveUp = (): void => {
    done()
    incoming.socket.destroySoon()
  }
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > maxBytes) giveUp()
  }
  const timer = setTimeout(giveUp, patienceMs)
  timer.unref()
  const done = (): void => {
    clearTimeout(timer)
    incoming.off('data', onData).off('end', done).off('error', done).off('close', done)
  }
  incoming.on('data', onData).on('end', done).on('error', done).on('close', done)
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
  /** Whether whole paths below it were added, too. */
  readonly holdsPaths: boolean
}

const nothing: Result<Route> = [[]]

/**
 * A router for whole paths ("/version") and prefixes ("/api/*"), which is all that this server has; it refuses other patterns, so that another router
 * takes over. It joins the handlers of a pattern into one and remembers it, because Hono's routers match a regular expression and compose the handlers
 * again for each request, which costs more than the filters.
 *
 * A result of `match` has one handler, without parameters: `[[[[handler, route], {}]]]`.
 */
export class PathRouter implements Router<Route> {
  readonly name = 'PathRouter'
  readonly #onError: ErrorHandler<InstallerEnv>
  readonly #added: Added[] = []
  readonly #methods = new Set<string>()
  readonly #paths = new Set<string>()
  /** The longest first. */
  #prefixes: readonly Prefix[] = []
  /** By method, then by path or pattern. */
  readonly #results = new Map<string, Map<string, Result<Route>>>()

  constructor(onError: ErrorHandler<InstallerEnv>) {
    this.#onError = onError
  }

  add(method: string, pattern: string, route: Route): void {
    const isPrefix = pattern.endsWith('/*')
    if (/[:{*]/.test(isPrefix ? pattern.slice(0, -1) : pattern)) throw new UnsupportedPathError()
    this.#added.push({ method, pattern, route })
    this.#methods.add(method)
    // "/api/*" also matches "/api".
    this.#paths.add(isPrefix ? pattern.slice(0, -2) : pattern)
    const patterns = new Set(this.#added.map((added) => added.pattern).filter((added) => added.endsWith('/*')))
    this.#prefixes = [...patterns].sort((a, b) => b.length - a.length).map((each) => this.#prefixOf(each))
    this.#results.clear()
  }

  #prefixOf(pattern: string): Prefix {
    const text = pattern.slice(0, -1)
    return { text, pattern, holdsPaths: [...this.#paths].some((path) => path.startsWith(text)) }
  }

  match(method: string, path: string): Result<Route> {
    const prefix = this.#prefixes.find(({ text }) => path.startsWith(text))
    const key = prefix?.holdsPaths !== false && this.#paths.has(path) ? path : prefix?.pattern
    if (key === undefined) return nothing
    // Clients may send any method.
    const known = this.#methods.has(method) ? method : 'ALL'
    let results = this.#results.get(known)
    if (results === undefined) this.#results.set(known, (results = new Map<string, Result<Route>>()))
    let result = results.get(key)
    if (result === undefined) results.set(key, (result = this.#resolve(known, path)))
    return result
  }

  #resolve(method: string, path: string): Result<Route> {
    const routes = this.#added.filter((added) => (added.method === 'ALL' || added.method === method) && matches(added.pattern, path))
    if (routes.length === 0) return nothing
    const serve = routes.map(({ route }) => route[0]).reduceRight((behind, before) => this.#join(before, behind))
    return [[[[serve, routes[0]!.route[1]], {}]]]
  }

  /** Joins two handlers: `next` of the first is the second. Errors of the second are answered between them, as Hono does. */
  #join(before: Serve, behind: Serve): Serve {
    const serveBehind = async (c: InstallerContext, next: Next): Promise<void> => {
      try {
        const answer = await behind(c, next)
        if (answer && !c.finalized) c.res = answer
      } catch (error) {
        if (!(error instanceof Error)) throw error
        c.error = error
        c.res = await this.#onError(error, c)
      }
    }
    return (c, next) => before(c, () => serveBehind(c, next))
  }
}

function matches(pattern: string, path: string): boolean {
  if (!pattern.endsWith('/*')) return pattern === path
  return path.startsWith(pattern.slice(0, -1)) || path === pattern.slice(0, -2)
}
