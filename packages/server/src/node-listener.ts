import type { UserInfo } from '@keelson/apimachinery'
import type { BodyBudget, CborCodec, InstallerEnv, NodeBindings, UnreadAnswers, Upgrade } from '@keelson/http-installer'
import type { Hono } from 'hono'
import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Incoming, Outgoing } from './active-request.ts'
import { drainIncoming } from './drain-incoming.ts'
import { openFetchExchange } from './fetch-exchange.ts'
import { Http2Incoming } from './http2-exchange.ts'

type Fetch = Hono<InstallerEnv>['fetch']

export interface NodeListenerOptions {
  readonly fetch: Fetch
  readonly cbor?: CborCodec | undefined
  readonly unreadAnswers?: UnreadAnswers | undefined
  readonly bodyBudget?: BodyBudget | undefined
  /** The app itself failed; its routes answer their own errors. */
  readonly onError: (error: unknown, incoming: Incoming) => void
}

export interface NodeListener {
  request(incoming: Incoming, outgoing: Outgoing): void
  /** For a request that asks to change the protocol: whoever serves it may take the socket, or answer. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Serves a request that comes without a connection. `user`: authenticated by the caller. */
  fetch(request: Request, user?: UserInfo): Promise<Response>
  /** Breaks off the answers to `fetch` that are not over. */
  close(): void
}

/**
 * Hands node's requests to a Hono app whose answers go to the node response. Hono asks its request for method, URL and headers, so it gets no
 * more than that, and a `Response` that carries nothing costs nothing; adapters for any app spend more on both than a small answer takes.
 */
export function createNodeListener({ fetch, cbor, unreadAnswers, bodyBudget, onError }: NodeListenerOptions): NodeListener {
  const fetched = new Set<Outgoing>()
  function serve(incoming: Incoming, outgoing: Outgoing, upgrade?: Upgrade, user?: UserInfo): void {
    const failed = (error: unknown): void => {
      bindings.heldBody?.release()
      onError(error, incoming)
      outgoing.destroy()
    }
    const bindings: NodeBindings = { incoming, outgoing, commonHeaders: undefined, sentBytes: 0, unreadAnswers, bodyBudget, cbor }
    if (upgrade !== undefined) bindings.upgrade = upgrade
    if (user !== undefined) bindings.user = user
    if (incoming instanceof Http2Incoming) bindings.nodePair = () => incoming.nodePair()
    const answered = (response: Response): Promise<void> | undefined => {
      bindings.heldBody?.release()
      return outgoing.headersSent || outgoing.destroyed ? undefined : writeResponse(response, bindings).catch(failed)
    }
    try {
      const answer = fetch(new NodeRequest(incoming) as unknown as Request, bindings)
      if (answer instanceof Promise) answer.then(answered, failed)
      else void answered(answer)
    } catch (error) {
      failed(error)
    }
  }
  return {
    request: (incoming, outgoing) => {
      // A body that nobody wanted must not keep the connection from its next request.
      if (incoming.method !== 'GET' && incoming.method !== 'HEAD') outgoing.on('close', () => drainIncoming(incoming))
      serve(incoming, outgoing)
    },
    upgrade: (incoming, socket, head) => {
      socket.on('error', () => socket.destroy())
      const outgoing = lastResponse(incoming, socket as Socket)
      if (outgoing === undefined) socket.destroy()
      else serve(incoming, outgoing, { socket, head })
    },
    fetch: (request, user) =>
      new Promise((resolve, reject) => {
        const exchange = openFetchExchange(request, { resolve, reject })
        const incoming = exchange.incoming as unknown as Incoming
        const outgoing = exchange.outgoing as unknown as Outgoing
        if (outgoing.destroyed) return
        fetched.add(outgoing)
        outgoing.on('close', () => fetched.delete(outgoing))
        serve(incoming, outgoing, undefined, user)
      }),
    close: () => {
      for (const outgoing of fetched) outgoing.destroy()
    },
  }
}

/**
 * A response on a connection that node's server has let go. When it is an ordinary one after all it is the connection's last.
 * Undefined: an earlier answer is still being written to it, by a client that does not wait.
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

/** For handlers that know nothing of node. What they answer is short. */
async function writeResponse(response: Response, bindings: NodeBindings): Promise<void> {
  const outgoing = bindings.outgoing as ServerResponse
  const body = Buffer.from(await response.arrayBuffer())
  const headers: string[] = [...(bindings.commonHeaders ?? []), 'content-length', String(body.length)]
  for (const [name, value] of response.headers) if (name !== 'content-length') headers.push(name, value)
  outgoing.writeHead(response.status, headers)
  outgoing.end(body)
}

/** As much of a `Request` as Hono's context reads. Bodies are read from the node request. */
class NodeRequest {
  readonly method: string
  readonly url: string
  readonly #incoming: Incoming

  constructor(incoming: Incoming) {
    this.method = incoming.method ?? 'GET'
    this.url = incoming.url ?? '/'
    this.#incoming = incoming
  }

  get headers(): this {
    return this
  }

  /** A header's value, as `Headers.get` gives it. */
  get(name: string): string | null {
    const value = this.#incoming.headers[name.toLowerCase()]
    return value === undefined ? null : typeof value === 'string' ? value : value.join(', ')
  }
}
