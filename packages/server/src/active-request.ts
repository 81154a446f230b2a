import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { RequestContext, RequestInfo, UserInfo } from '@keelson/apimachinery'
import { parseQuery } from '@keelson/exchange'
import type { Expiring } from './deadlines.ts'

export type Incoming = IncomingMessage | Http2ServerRequest
export type Outgoing = ServerResponse | Http2ServerResponse

const maxManagerLength = 128

/** Nobody waits for the answer any more. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

/** The request's deadline has passed. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError'
}

/** Why a request's signal aborted: nobody's bug. By name, since packages can be loaded twice. */
export function isAbort(error: unknown): boolean {
  const name = (error as Error | undefined)?.name
  return name === 'ClientGoneError' || name === 'DeadlineExceededError'
}

export interface ActiveRequestOptions {
  readonly info: RequestInfo
  readonly user: UserInfo
  readonly requestId: string
  readonly now: () => number
  readonly incoming: Incoming
  readonly outgoing: Outgoing
  readonly warn: (text: string) => void
  /** Answers a request whose deadline has passed while its handler is still busy. */
  readonly onExpire: (request: ActiveRequest) => void
}

/**
 * One request being served. The abort signal exists only once somebody asks for it: most requests are answered before anything could abort
 * them, and a controller and its listener cost more than a small answer.
 */
export class ActiveRequest implements RequestContext, Expiring {
  readonly info: RequestInfo
  readonly user: UserInfo
  readonly namespace: string
  readonly requestId: string
  readonly now: () => number
  readonly outgoing: Outgoing
  readonly warn: (text: string) => void
  readonly #incoming: Incoming
  readonly #onExpire: (request: ActiveRequest) => void
  #fieldManager: string | undefined
  #controller: AbortController | undefined
  #finished = false
  expired = false

  constructor(options: ActiveRequestOptions) {
    const { info } = options
    this.info = info
    this.user = options.user
    // A namespace is itself cluster-wide; its URL alone names it twice.
    this.namespace = info.resource === 'namespaces' && info.apiGroup === '' ? '' : info.namespace
    this.requestId = options.requestId
    this.now = options.now
    this.outgoing = options.outgoing
    this.warn = options.warn
    this.#incoming = options.incoming
    this.#onExpire = options.onExpire
  }

  get userAgent(): string {
    return this.#incoming.headers['user-agent'] ?? ''
  }

  get fieldManager(): string {
    return (this.#fieldManager ??= managerFromQuery(this.#incoming.url ?? '') || managerFromUserAgent(this.userAgent))
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController())
      const gone = (): void => {
        if (!this.#finished) controller.abort(new ClientGoneError('the client closed the connection'))
      }
      if (this.outgoing.destroyed) gone()
      else this.outgoing.on('close', gone)
      if (this.expired) controller.abort(new DeadlineExceededError('the request timed out'))
    }
    return this.#controller.signal
  }

  get aborted(): boolean {
    if (this.#controller !== undefined) return this.#controller.signal.aborted
    return this.expired || (!this.#finished && this.outgoing.destroyed)
  }

  expire(): void {
    if (this.#finished) return
    this.expired = true
    this.#controller?.abort(new DeadlineExceededError('the request timed out'))
    this.#onExpire(this)
  }

  /** The handler is done; whatever closes from now on is no loss. */
  finish(): void {
    this.#finished = true
  }
}

function managerFromQuery(url: string): string {
  if (!url.includes('fieldManager=')) return ''
  return parseQuery(url.slice(url.indexOf('?') + 1)).get('fieldManager') ?? ''
}

/** "kubectl/v1.36.4 (linux/amd64)" → "kubectl". */
export function managerFromUserAgent(userAgent: string): string {
  const slash = userAgent.indexOf('/')
  let name = ''
  for (const character of slash < 0 ? userAgent : userAgent.slice(0, slash)) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue
    if (Buffer.byteLength(name + character) > maxManagerLength) break
    name += character
  }
  return name
}
