import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'
import type { RequestContext, UserInfo } from '@keelson/apimachinery'
import { parseTarget } from '@keelson/exchange'
import type { RequestTarget } from '@keelson/exchange'
import type { Context, Env } from 'hono'
import type { CborCodec } from './cbor/cbor-codec.ts'

/** The connection of a request that asks to change the protocol, and what was read of it behind the headers. */
export interface Upgrade {
  readonly socket: Duplex
  readonly head: Buffer
}

/** Bounds the bytes of request bodies that are held at once. */
export interface BodyBudget {
  hold(user: string): HeldBody
}

/** A body while it is read and worked on. */
export interface HeldBody {
  /** Undefined: read on. A promise: read on when it resolves. */
  add(bytes: number): Promise<void> | undefined
  release(): void
}

/** Learns when an answer waits for its client to read: `begin` when it starts waiting, `end` when it goes on. */
export interface ClientWait {
  begin(): void
  end(): void
}

/** Counts the bytes of answers that wait for their clients to read, and ends some of these answers when too many wait. */
export interface UnreadAnswers {
  /** `bytes` of an answer to `user` wait until the returned function is called. */
  add(user: string, outgoing: ServerResponse | Http2ServerResponse, bytes: number): () => void
}

/** What @hono/node-server puts in `c.env`. Absent when the app is called with `app.request()`; then answers go through `Response`. */
export interface NodeBindings {
  incoming?: IncomingMessage | Http2ServerRequest
  outgoing?: ServerResponse | Http2ServerResponse
  /**
   * Names and values in turns: headers that every answer carries (`Audit-Id`, `Cache-Control`). Kept beside the node response rather than
   * set on it: a response that holds headers before its head is written costs twice as much.
   */
  commonHeaders?: readonly string[] | undefined
  /** Where the two are less than node's own, as for HTTP/2 without a body: makes node's own, for who reads or writes them as streams. */
  nodePair?: () => { readonly incoming: Http2ServerRequest; readonly outgoing: Http2ServerResponse }
  /** Absent: the request asks for no other protocol, or cannot (HTTP/2). */
  upgrade?: Upgrade
  /** The user, where the caller of the server has authenticated the request. Absent: the request's credentials say. */
  user?: UserInfo
  /** How much of the answer's body was given to the socket; of those that go straight to it. */
  sentBytes?: number
  clientWait?: ClientWait
  unreadAnswers?: UnreadAnswers | undefined
  bodyBudget?: BodyBudget | undefined
  /** Set for large bodies. Released by the server when the handler is done. */
  heldBody?: HeldBody | undefined
  /** Absent: CBOR is neither taken nor given. */
  cbor?: CborCodec | undefined
}

/** The Hono Env of everything that this package installs, and of the server in front of it. */
export interface InstallerEnv extends Env {
  Bindings: NodeBindings
  Variables: {
    requestContext?: RequestContext
    warnings?: Set<string>
  }
}

export type InstallerContext = Context<InstallerEnv>

/** Called by the server before dispatch; the context it sets is the one that reaches admission and the registry. */
export function setRequestContext(c: InstallerContext, context: RequestContext): void {
  c.set('requestContext', context)
}

/** Throws when no server set one: every request needs a user and a request info. */
export function requestContextOf(c: InstallerContext): RequestContext {
  const context = c.get('requestContext')
  if (context === undefined) throw new Error('setRequestContext was not called for this request')
  return context
}

/** `name` in lower case. As `c.req.header`, without the request that Hono would make for it. */
export function headerOf(c: InstallerContext, name: string): string | undefined {
  const incoming = c.env?.incoming
  if (incoming === undefined) return c.req.header(name)
  const value = incoming.headers[name]
  return typeof value === 'object' ? value.join(', ') : value
}

/** As sent: HEAD is not GET. */
export function methodOf(c: InstallerContext): string {
  return c.env?.incoming?.method ?? c.req.method
}

/** The first, when there are several: joined they would be a type that nobody sent. */
export function contentTypeOf(c: InstallerContext): string | undefined {
  const incoming = c.env?.incoming
  return incoming === undefined ? c.req.header('content-type') : incoming.headers['content-type']
}

/** The target of the node request, or of the URL under `app.request()`. Throws `URIError`. */
export function targetOf(c: InstallerContext): RequestTarget {
  return parseTarget(c.env?.incoming?.url ?? c.req.url)
}
