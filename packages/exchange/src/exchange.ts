import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestContext, UserInfo } from '@keelson/apimachinery'
import type * as cbor from '@keelson/apimachinery/cbor'
import type { BodyBudget, ClientWait, BodyReservation, UnreadAnswers } from './bounds.ts'
import { ClientGoneError, DeadlineExceededError } from './errors.ts'
import { mediaTypesOf, parseAccept } from './media-types.ts'
import type { AcceptClause } from './media-types.ts'
import type { Incoming, Outgoing, Upgrade } from './node-streams.ts'
import { malformedTarget, noAttributes, parseQuery, parseTarget } from './request-attributes.ts'
import type { QueryParameters, RequestAttributes, RequestTarget } from './request-attributes.ts'
import { warningHeaders } from './warnings.ts'

/** The CBOR codec. Servers with CBOR pass it in, so that other servers do not load it. */
export type CborCodec = typeof cbor

/** Services that all exchanges of a server share. */
export interface ExchangeServices {
  /** Clock for handlers. Default: the system clock. */
  readonly now?: (() => number) | undefined
  /** Default: CBOR is neither accepted nor produced. */
  readonly cbor?: CborCodec | undefined
  readonly unreadAnswers?: UnreadAnswers | undefined
  readonly bodyBudget?: BodyBudget | undefined
}

/** Serves the requests of one path. The route is found before the request is authorized. */
export interface Route {
  readonly namespaced: boolean
  /** True if the kind has no protobuf encoding. */
  readonly isJsonOnly: boolean
  serve(exchange: Exchange): Promise<void>
}

/** Runs once when an exchange ends: when its handler is done or its deadline has passed. */
export type Finisher = (exchange: Exchange) => void

const nobody: UserInfo = { name: '', groups: [] }
const noHeaders: readonly string[] = []

/**
 * One request and its response. The URL and each header are parsed at most once, here; filters and handlers never parse them. Registry and
 * storage see an exchange as a `RequestContext`.
 */
export class Exchange implements RequestContext {
  readonly method: string
  readonly target: RequestTarget
  readonly services: ExchangeServices
  /** Time at which the request arrived (`performance.now()`). */
  readonly started: number = performance.now()
  /** Time at which the current phase (authentication, authorization) started (`performance.now()`). */
  phaseStarted: number = this.started
  /** Set if the request asks for another protocol and its connection supports it (HTTP/1.1). */
  readonly upgrade: Upgrade | undefined

  requestId = ''
  /** Set by the audit filter of a request that is audited. */
  annotate: ((key: string, value: string) => void) | undefined = undefined
  info: RequestAttributes = noAttributes
  /** Undefined if no installed resource serves this URL. */
  route: Route | undefined = undefined
  /** Empty for cluster-wide requests. */
  namespace = ''
  /** Long-running requests have no deadline and do not count against the in-flight limit. */
  isLongRunning = false
  /** The authenticated user. */
  requestor: UserInfo = nobody
  /** The user whose permissions apply: the requestor, or the impersonated user. */
  user: UserInfo = nobody
  /** The user of an in-process request, authenticated by its caller. The request's credentials are then ignored. */
  presetUser: UserInfo | undefined = undefined
  /**
   * Headers of every response (`Audit-Id`, `Cache-Control`): alternating names and values. Not set on the node response, because a response
   * with headers before `writeHead` costs twice as much.
   */
  commonHeaders: readonly string[] = noHeaders
  /** Bytes of the response body that were passed to the socket. */
  sentBytes = 0
  clientWait: ClientWait | undefined = undefined
  /** The body in memory; undefined for small bodies. */
  bodyReservation: BodyReservation | undefined = undefined
  /** True once the deadline has passed. */
  expired = false

  #incoming: Incoming
  #outgoing: Outgoing
  #isOver = false
  #finishers: Finisher[] | undefined = undefined
  #query: QueryParameters | undefined = undefined
  #acceptClauses: readonly AcceptClause[] | undefined = undefined
  #fieldManager: string | undefined = undefined
  #controller: AbortController | undefined = undefined
  #warnings: Set<string> | undefined = undefined
  #warningsFull = false

  constructor(incoming: Incoming, outgoing: Outgoing, services: ExchangeServices, upgrade?: Upgrade) {
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.method = incoming.method ?? 'GET'
    this.target = targetOf(incoming.url ?? '/')
    this.services = services
    this.upgrade = upgrade
  }

  get incoming(): Incoming {
    return this.#incoming
  }

  get outgoing(): Outgoing {
    return this.#outgoing
  }

  /**
   * Returns Node's own streams, for code that pipes. HTTP/2 requests without a body create them on demand. Their API matches HTTP/1.1's
   * streams.
   */
  nodeStreams(): { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse } {
    const pair = this.#incoming.nodePair?.()
    if (pair !== undefined) {
      this.#incoming = pair.incoming
      this.#outgoing = pair.outgoing
    }
    return { incoming: this.#incoming as IncomingMessage, outgoing: this.#outgoing as ServerResponse }
  }

  /** False if the request target is not a URL or has invalid escapes. Such a request has an empty path and no attributes. */
  get hasValidTarget(): boolean {
    return this.target !== malformedTarget
  }

  /** Sets the attributes of the URL and its route. */
  interpret(info: RequestAttributes, route: Route | undefined): void {
    this.info = info
    this.route = route
    this.namespace = route?.namespaced === false ? '' : info.namespace
  }

  get query(): QueryParameters {
    return (this.#query ??= parseQuery(this.target.query))
  }

  /** Returns a request header; multiple values are joined by a comma. `name` must be in lower case. */
  header(name: string): string | undefined {
    const value = this.#incoming.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  /** The Accept header; empty if absent. */
  get accept(): string {
    return this.header('accept') ?? ''
  }

  /** The clauses of the Accept header, in order of preference. */
  get acceptClauses(): readonly AcceptClause[] {
    return (this.#acceptClauses ??= parseAccept(this.accept))
  }

  /** The media types of the Accept header without parameters, in the order sent. */
  get acceptedTypes(): readonly string[] {
    return mediaTypesOf(this.accept)
  }

  /** The Content-Type header; the first one if there are several, because joined values would form another type. */
  get contentType(): string | undefined {
    return this.#incoming.headers['content-type']
  }

  get userAgent(): string {
    return this.#incoming.headers['user-agent'] ?? ''
  }

  get fieldManager(): string {
    return (this.#fieldManager ??= this.query.get('fieldManager') || managerFromUserAgent(this.userAgent))
  }

  get now(): (() => number) | undefined {
    return this.services.now
  }

  /** Aborts when the client disconnects or the deadline passes. Created on first use, because most requests end before that. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController())
      const gone = (): void => {
        if (!this.#isOver) controller.abort(new ClientGoneError())
      }
      if (this.#outgoing.destroyed) gone()
      else this.#outgoing.on('close', gone)
      if (this.expired) controller.abort(new DeadlineExceededError('the request timed out'))
    }
    return this.#controller.signal
  }

  get aborted(): boolean {
    if (this.#controller !== undefined) return this.#controller.signal.aborted
    return this.expired || (!this.#isOver && this.#outgoing.destroyed)
  }

  /** Sends a `Warning: 299` header for each distinct text. Has no effect after the response headers are sent. */
  warn(text: string): void {
    if (text === '' || this.#warningsFull) return
    const sent = (this.#warnings ??= new Set())
    if (sent.has(text)) return
    sent.add(text)
    const headers = warningHeaders(sent)
    // After a warning that does not fit, all later warnings are dropped: a body can cause 100,000 of them.
    this.#warningsFull = headers.length < sent.size
    if (!this.#outgoing.headersSent) this.#outgoing.setHeader('Warning', headers)
  }

  /** Adds headers to those of every response: alternating names and values. */
  addHeaders(headers: readonly string[]): void {
    this.commonHeaders = this.commonHeaders.length === 0 ? headers : this.commonHeaders.concat(headers)
  }

  /**
   * Registers a function that runs at the end of the exchange, in reverse order of registration. Runs it immediately if the exchange is
   * over.
   */
  onEnd(finisher: Finisher): void {
    if (this.#isOver) finisher(this)
    else (this.#finishers ??= []).push(finisher)
  }

  /** True once the handler is done or has been abandoned. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Ends the exchange and runs its finishers; later calls have no effect. Afterwards a closed connection does not abort the signal. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    const finishers = this.#finishers
    if (finishers === undefined) return
    for (let i = finishers.length - 1; i >= 0; i--) finishers[i]!(this)
  }

  /** Aborts the signal because the deadline has passed. */
  expire(): void {
    this.expired = true
    this.#controller?.abort(new DeadlineExceededError('the request timed out'))
  }
}

/** Returns whether the value is an `Exchange`, even from another copy of this package. */
export function isExchange(value: unknown): value is Exchange {
  if (value instanceof Exchange) return true
  return typeof value === 'object' && value !== null && 'interpret' in value && 'acceptClauses' in value
}

function targetOf(url: string): RequestTarget {
  try {
    return parseTarget(url)
  } catch (error) {
    if (error instanceof URIError) return malformedTarget
    throw error
  }
}

const maxManagerLength = 128

/** Derives the default field manager from a user agent: "kubectl/v1.36.4 (linux/amd64)" → "kubectl". */
function managerFromUserAgent(userAgent: string): string {
  const slash = userAgent.indexOf('/')
  let name = ''
  for (const character of slash < 0 ? userAgent : userAgent.slice(0, slash)) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue
    if (Buffer.byteLength(name + character) > maxManagerLength) break
    name += character
  }
  return name
}
