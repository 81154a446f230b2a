import { Exchange, isExchange, openFetchPair } from '@keelson/exchange'
import type { ExchangeServices, Incoming, Outgoing, Upgrade } from '@keelson/exchange'
import type { Context, Env } from 'hono'

/** Bindings of @hono/node-server. They are also members of `Exchange`. Absent in requests of `app.request()`. */
interface NodeBindings {
  readonly incoming?: Incoming
  readonly outgoing?: Outgoing
  readonly upgrade?: Upgrade | undefined
}

/** Hono's `Env` type for all routes of this package and for the server. */
export interface InstallerEnv extends Env {
  Bindings: NodeBindings
  Variables: { exchange?: Exchange }
}

export type InstallerContext = Context<InstallerEnv>

/** Returns the exchange of a Hono context. Throws if neither a server nor `createExchanges` runs before the handler. */
export function getExchange(c: InstallerContext): Exchange {
  const { env } = c
  // The server passes the exchange as the bindings, so no object is created and no lookup is needed.
  if (isExchange(env)) return env
  const exchange = c.get('exchange')
  if (exchange === undefined)
    throw new Error('the request has no exchange: mount the app in a server, or use createExchanges() as middleware')
  return exchange
}

/**
 * Response that tells Hono and @hono/node-server that the response was already sent. Handlers answer through the exchange. It has the members of `Response`
 * that both read. A real `Response` would load Node's fetch, which takes 7 MB and 25 ms.
 */
export const responseSent: Response = {
  ok: true,
  status: 200,
  statusText: '',
  body: null,
  bodyUsed: false,
  get headers() {
    return new Headers({ 'x-hono-already-sent': 'true' })
  },
  arrayBuffer: () => Promise.resolve(new ArrayBuffer(0)),
} as unknown as Response

/**
 * Converts a function that answers through the exchange to a Hono handler.
 *
 * @example
 * app.get('/hello', withExchange((exchange) => sendBytes(exchange, 200, {}, `hello ${exchange.user.name}`)))
 */
export function withExchange(serve: (exchange: Exchange) => void | Promise<void>): (c: InstallerContext) => Response | Promise<Response> {
  return (c) => {
    const pending = serve(getExchange(c))
    return pending instanceof Promise ? pending.then(() => responseSent) : responseSent
  }
}

/**
 * Opens an exchange for a request that has none, and serves the request. The request comes from @hono/node-server, or without a socket from
 * `app.request()`.
 */
export async function openExchange(
  c: InstallerContext,
  services: ExchangeServices,
  serve: (exchange: Exchange) => Promise<unknown>,
): Promise<void> {
  const { incoming, outgoing, upgrade } = c.env ?? {}
  if (incoming !== undefined && outgoing !== undefined) {
    const exchange = new Exchange(incoming, outgoing, services, upgrade)
    c.set('exchange', exchange)
    await serve(exchange)
    if (exchange.outgoing.headersSent && !c.finalized) c.res = responseSent
    return
  }
  let settle!: Parameters<typeof openFetchPair>[1]
  const responded = new Promise<Response>((resolve, reject) => (settle = { resolve, reject }))
  const pair = openFetchPair(c.req.raw, settle)
  const exchange = new Exchange(pair.incoming, pair.outgoing, services)
  c.set('exchange', exchange)
  // A stream answers before its handler completes. A custom handler may return a `Response` and not use the exchange.
  const handled = serve(exchange).then(() => (exchange.outgoing.headersSent ? responded : undefined))
  const answer = await Promise.race([responded, handled])
  if (answer === undefined) return
  // Removes the old response first, because Hono would copy its headers to the new one.
  c.res = undefined
  c.res = answer
}
