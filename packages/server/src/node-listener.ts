import type { UserInfo } from '@keelson/apimachinery'
import { Exchange, openFetchPair } from '@keelson/exchange'
import type { ExchangeServices, Incoming, Outgoing, Upgrade } from '@keelson/exchange'
import type { InstallerEnv } from '@keelson/http-installer'
import type { Hono } from 'hono'
import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { drainIncoming } from './drain-incoming.ts'

type Fetch = Hono<InstallerEnv>['fetch']

export interface NodeListenerOptions {
  readonly fetch: Fetch
  readonly services: ExchangeServices
  /** Called when the app itself fails; its routes answer their own errors. */
  readonly onError: (error: unknown, exchange: Exchange) => void
}

export interface NodeListener {
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
