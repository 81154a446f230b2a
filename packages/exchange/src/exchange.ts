import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnnotationLevel, ExcludedLayer, LatencyLayer, RequestContext, RequestObject, Span, UserInfo } from '@keelson/apimachinery'
import type * as cbor from '@keelson/apimachinery/cbor'
import type { BodyBudget, ClientWait, BodyReservation, UnreadAnswers } from './bounds.ts'
import { ClientGoneError, DeadlineExceededError } from './errors.ts'
import { LayerLatencies } from './layer-latencies.ts'
import { parseMediaTypes, parseAccept } from './media-types.ts'
import type { AcceptClause } from './media-types.ts'
import type { Incoming, Outgoing, Upgrade } from './node-streams.ts'
import { malformedTarget, noAttributes, parseQuery, parseTarget } from './request-attributes.ts'
import type { QueryParameters, RequestAttributes, RequestTarget } from './request-attributes.ts'
import type { RequestAudit } from './request-audit.ts'
import type { ResponseSink } from './send.ts'
import { Warnings } from './warnings.ts'

/** The CBOR codec. A server that supports CBOR passes it in, so that other servers do not load it. */
export type CborCodec = typeof cbor

/** Dependencies that all exchanges of a server share. */
export interface ExchangeServices {
  /** Returns the time in milliseconds since 1970. Default: the system clock. */
  readonly now?: (() => number) | undefined
  /** Codec for CBOR. Without it, CBOR is neither accepted nor produced. */
  readonly cbor?: CborCodec | undefined
  readonly unreadAnswers?: UnreadAnswers | undefined
  readonly bodyBudget?: BodyBudget | undefined
}

/** The installed handler for the requests of one path. The route is looked up before the request is authorized. */
export interface Route {
  readonly namespaced: boolean
  /** True if the kind has no protobuf encoding, as custom resources. */
  readonly isJsonOnly: boolean
  serve(exchange: Exchange): Promise<void>
}

/** A function that runs once at the end of an exchange: after its handler, or when its deadline has passed. */
export type Finisher = (exchange: Exchange) => void

const emptyUser: UserInfo = { name: '', groups: [] }

/**
 * One HTTP request and its response. Parses the URL and each header at most once, so filters and handlers need not parse them. Registry and
 * storage use an exchange as a `RequestContext`.
 */
export class Exchange implements RequestContext {
  readonly method: string
  readonly target: RequestTarget
  readonly services: ExchangeServices
  /** Time at which the request arrived, as returned by `performance.now()`. */
  readonly started: number = performance.now()
  /** Time at which the current phase (authentication, authorization) started, as returned by `performance.now()`. */
  phaseStarted: number = this.started
  /** Connection of an upgrade request. Set if the request asks for another protocol and its connection supports it (HTTP/1.1). */
  readonly upgrade: Upgrade | undefined

  requestId = ''
  /** Records the request for the audit log. Undefined if the request is not audited. */
  audit: RequestAudit | undefined = undefined
  annotate: RequestContext['annotate'] = undefined
  addLatency: RequestContext['addLatency'] = undefined
  recordObject: RequestContext['recordObject'] = undefined
  /** Current step of the request's trace. Undefined if the request is not recorded. */
  span: Span | undefined = undefined
  attributes: RequestAttributes = noAttributes
  /** The route of the request; undefined if no installed resource serves its URL. */
  route: Route | undefined = undefined
  /** Namespace of the request; empty for cluster-wide requests. */
  namespace = ''
  /** True for requests such as watches, which have no deadline and do not count against the limit of requests in flight. */
  isLongRunning = false
  /** The authenticated user. With impersonation, this is the impersonating user, and `user` is the impersonated one. */
  requestor: UserInfo = emptyUser
  /** The user whose permissions apply: the impersonated user, or else the authenticated one. */
  user: UserInfo = emptyUser
  /** User of a request from the same process, which its caller has authenticated. If it is set, the credentials of the request are ignored. */
  presetUser: UserInfo | undefined = undefined
  /**
   * Headers that every response has (`Audit-Id`, `Cache-Control`), as alternating names and values. They are not set on Node's response, because
   * `writeHead` takes twice as long if headers were set before.
   */
  commonHeaders: string[] = []
  /** Resolves when the response is sent. Set only while it waits for its audit event. */
  delayedResponse: Promise<void> | undefined = undefined
  /** Number of bytes of the response body that were passed to the socket. */
  sentBytes = 0
  clientWait: ClientWait | undefined = undefined
  watchInitialized: RequestContext['watchInitialized'] = undefined
  /** Fields of filters for the record of the request in the server's log. Undefined if the request is not logged. */
  logFields: Record<string, unknown> | undefined = undefined
  /** Memory reserved for the request body; undefined for a small body. */
  bodyReservation: BodyReservation | undefined = undefined
  /** Receives the complete body of the request when a handler has read it. It must not modify the body. */
  observeBody: ((body: Uint8Array) => void) | undefined = undefined
  /** Returns the sink that a streamed response is written to, which wraps the connection's sink. */
  wrapSink: ((sink: ResponseSink) => ResponseSink) | undefined = undefined
  /** Time at which the deadline passes, as returned by `performance.now()`. */
  deadline: number | undefined = undefined
  /** True after the deadline has passed. */
  expired = false

  #incoming: Incoming
  #outgoing: Outgoing
  #isOver = false
  #finishers: Finisher[] | undefined = undefined
  #query: QueryParameters | undefined = undefined
  #acceptClauses: readonly AcceptClause[] | undefined = undefined
  #fieldManager: string | undefined = undefined
  #controller: AbortController | undefined = undefined
  #warnings: Warnings | undefined = undefined
  #excludedLatencies: LayerLatencies | undefined = undefined

  constructor(incoming: Incoming, outgoing: Outgoing, services: ExchangeServices, upgrade?: Upgrade) {
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.method = incoming.method ?? 'GET'
    this.target = parseRequestTarget(incoming.url ?? '/')
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
   * Returns Node's own request and response streams, for code that pipes them. For HTTP/2 requests without a body, they are created on demand.
   * Their API matches that of the HTTP/1.1 streams.
   */
  createNodeStreams(): { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse } {
    const pair = this.#incoming.getNodePair?.()
    if (pair !== undefined) {
      this.#incoming = pair.incoming
      this.#outgoing = pair.outgoing
    }
    return { incoming: this.#incoming as IncomingMessage, outgoing: this.#outgoing as ServerResponse }
  }

  /** False if the request target is not a URL or contains invalid escapes. Such a request has an empty path and no attributes. */
  get hasValidTarget(): boolean {
    return this.target !== malformedTarget
  }

  /** Sets the attributes of the request's URL, and the route that serves it. */
  interpret(attributes: RequestAttributes, route: Route | undefined): void {
    this.attributes = attributes
    this.route = route
    this.namespace = route?.namespaced === false ? '' : attributes.namespace
  }

  get query(): QueryParameters {
    return (this.#query ??= parseQuery(this.target.query))
  }

  /** Returns a header of the request. Joins several values by commas. `name` must be in lower case. */
  getHeader(name: string): string | undefined {
    const value = this.#incoming.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  /** Value of the Accept header; empty if there is none. */
  get accept(): string {
    return this.getHeader('accept') ?? ''
  }

  /** Clauses of the Accept header in order of preference. */
  get acceptClauses(): readonly AcceptClause[] {
    return (this.#acceptClauses ??= parseAccept(this.accept))
  }

  /** Media types of the Accept header without parameters, in the order of the header. */
  get acceptedTypes(): readonly string[] {
    return parseMediaTypes(this.accept)
  }

  /** Value of the Content-Type header. If there are several, the first one, because joined values would form another type. */
  get contentType(): string | undefined {
    return this.#incoming.headers['content-type']
  }

  get userAgent(): string {
    return this.#incoming.headers['user-agent'] ?? ''
  }

  get fieldManager(): string {
    return (this.#fieldManager ??= this.query.get('fieldManager') || parseManager(this.userAgent))
  }

  get now(): (() => number) | undefined {
    return this.services.now
  }

  /** Aborts when the client disconnects or the deadline passes. Created on first use, because most requests never need it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController())
      const onClose = (): void => {
        if (!this.#isOver) controller.abort(new ClientGoneError())
      }
      if (this.#outgoing.destroyed) onClose()
      else this.#outgoing.on('close', onClose)
      if (this.expired) controller.abort(new DeadlineExceededError('the request timed out'))
    }
    return this.#controller.signal
  }

  get aborted(): boolean {
    if (this.#controller !== undefined) return this.#controller.signal.aborted
    return this.expired || (!this.#isOver && this.#outgoing.destroyed)
  }

  /**
   * Adds a `Warning: 299` header to the response. Drops repeated texts, texts with control characters, texts beyond kube-apiserver's limits,
   * and all texts after the response headers are sent.
   */
  warn(text: string): void {
    const warnings = (this.#warnings ??= new Warnings())
    if (warnings.add(text) && !this.#outgoing.headersSent) this.#outgoing.setHeader('Warning', warnings.headers)
  }

  /** Sets or removes the audit record of the request. */
  setAudit(audit: RequestAudit | undefined): void {
    this.audit = audit
    this.annotate = audit && annotate
    this.addLatency = audit && addLatency
    this.recordObject = audit && recordObject
  }

  excludeLatency(layer: ExcludedLayer, milliseconds: number): void {
    ;(this.#excludedLatencies ??= new LayerLatencies()).add(layer, milliseconds)
    this.addLatency?.(layer, milliseconds)
  }

  /** Milliseconds that the request spent in webhooks and in the queues of its priority level. */
  get excludedMs(): number {
    return this.#excludedLatencies?.total ?? 0
  }

  /** Adds headers to those that every response has, as alternating names and values. */
  addHeaders(headers: readonly string[]): void {
    // Faster than creating a new array for each filter that adds headers.
    for (let i = 0; i < headers.length; i++) this.commonHeaders.push(headers[i]!)
  }

  /**
   * Registers a function to run at the end of the exchange. The last one registered runs first. If the exchange is over, runs the function
   * immediately.
   */
  onEnd(finisher: Finisher): void {
    if (this.#isOver) finisher(this)
    else (this.#finishers ??= []).push(finisher)
  }

  /** True after the end of the exchange: its handler has finished, or its deadline has passed. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Ends the exchange and runs its finishers. Later calls have no effect. From then on, a closed connection does not abort the signal. */
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

// Methods of audited exchanges. All share them, because functions of each exchange would cost more than what they record.
function annotate(this: Exchange, key: string, value: string, level?: AnnotationLevel): void {
  this.audit?.annotate(key, value, level)
}

function addLatency(this: Exchange, layer: LatencyLayer, milliseconds: number): void {
  this.audit?.addLatency(layer, milliseconds)
}

function recordObject(this: Exchange, object: RequestObject): void {
  this.audit?.recordObject(object)
}

/** Returns whether the value is an `Exchange`, possibly of another copy of this package. */
export function isExchange(value: unknown): value is Exchange {
  if (value instanceof Exchange) return true
  return typeof value === 'object' && value !== null && 'interpret' in value && 'acceptClauses' in value
}

function parseRequestTarget(url: string): RequestTarget {
  try {
    return parseTarget(url)
  } catch (error) {
    if (error instanceof URIError) return malformedTarget
    throw error
  }
}

const maxManagerLength = 128

/** Returns the default name of the field manager, derived from the user agent: "kubectl" for "kubectl/v1.36.4 (linux/amd64)". */
function parseManager(userAgent: string): string {
  const slash = userAgent.indexOf('/')
  let name = ''
  for (const character of slash < 0 ? userAgent : userAgent.slice(0, slash)) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue
    if (Buffer.byteLength(name + character) > maxManagerLength) break
    name += character
  }
  return name
}
