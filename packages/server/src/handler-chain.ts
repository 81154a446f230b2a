import type { MiddlewareHandler } from 'hono'
import { isApiError, newTimeout, newTooManyRequests, newUnauthorized } from '@keelson/apimachinery'
import type { RequestInfo, UserInfo } from '@keelson/apimachinery'
import { anonymousUser, authorizeImpersonation, forbiddenError, impersonatedUser, unauthenticatedGroup } from '@keelson/auth'
import type { Authenticator, Authorizer } from '@keelson/auth'
import { RequestInfoError, parseQuery, parseRequestInfo, parseTarget } from '@keelson/exchange'
import { createWarner, sendBytes, setRequestContext, writeError } from '@keelson/http-installer'
import type { InstallerContext, InstallerEnv } from '@keelson/http-installer'
import type { AccessMetrics } from './access-metrics.ts'
import { ActiveRequest } from './active-request.ts'
import type { Incoming, Outgoing } from './active-request.ts'
import { newAuditId } from './audit-id.ts'
import { corsHeaders } from './cors.ts'
import { Deadlines } from './deadlines.ts'
import type { Deadline } from './deadlines.ts'
import { createInFlightLimit } from './in-flight-limit.ts'
import type { InFlightLimits, Seat } from './in-flight-limit.ts'
import type { Lifecycle } from './lifecycle.ts'
import { isLongRunning } from './long-running.ts'
import { connectionKey, connectionOf } from './peer.ts'
import { plainError, sendPlain } from './plain-answer.ts'
import { isObserved } from './request-labels.ts'
import { recordAtEnd } from './request-log.ts'
import type { RequestRecord } from './request-log.ts'
import type { RequestMetrics } from './request-metrics.ts'
import { requestTimeout } from './request-timeout.ts'

export interface HandlerChainOptions {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly limits: InFlightLimits
  readonly requestTimeoutMs: number
  readonly goAwayChance: number
  readonly corsAllowedOrigins: readonly RegExp[]
  readonly hstsDirectives: readonly string[]
  readonly lifecycle: Lifecycle
  /** The time as handlers see it. */
  readonly now: () => number
  readonly metrics: RequestMetrics
  readonly access: AccessMetrics
  readonly onPanic: (error: unknown, method: string, url: string, requestId: string) => void
  /** Told of every request when it is over. */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
}

export interface HandlerChain {
  readonly middleware: MiddlewareHandler<InstallerEnv>
  close(): void
}

const stillServedWhileDraining = ['/readyz', '/livez', '/healthz', '/metrics']

/**
 * What every request passes before it is dispatched, in the original's order: audit id, panic recovery, request info, refusal while draining,
 * cache control, transport security, deadline, origins of pages, authentication, impersonation, in-flight limits, authorization. One function rather than a middleware each: a request
 * that nothing stops costs one await for the lot.
 */
export function createHandlerChain(options: HandlerChainOptions): HandlerChain {
  const { authenticator, authorizer, lifecycle, metrics, access } = options
  const deadlines = new Deadlines(options.requestTimeoutMs)
  const limit = createInFlightLimit(options.limits, metrics.inFlight)
  const hsts = options.hstsDirectives.length === 0 ? undefined : ['Strict-Transport-Security', options.hstsDirectives.join('; ')]
  const origins = options.corsAllowedOrigins.length === 0 ? undefined : options.corsAllowedOrigins

  async function serve(c: InstallerContext, next: () => Promise<void>, incoming: Incoming, outgoing: Outgoing): Promise<Response | void> {
    const started = performance.now()
    const method = incoming.method ?? 'GET'
    const target = incoming.url ?? '/'
    const requestId = headerText(incoming.headers['audit-id']) ?? newAuditId()
    c.env.commonHeaders = ['Audit-Id', requestId]
    const record = options.onRequest && recordAtEnd(options.onRequest, incoming, outgoing, requestId)

    let info: RequestInfo
    try {
      const parsed = parseTarget(target)
      info = parseRequestInfo(method, parsed, parseQuery(parsed.query))
    } catch (error) {
      if (error instanceof URIError) return sendPlain(c, plainError(400, '400 Bad Request'))
      if (!(error instanceof RequestInfoError)) throw error
      return sendPlain(
        c,
        plainError(500, `Internal Server Error: ${JSON.stringify(target)}: failed to create RequestInfo: ${error.message}`),
      )
    }

    if (lifecycle.state !== 'running' && !stillServedWhileDraining.some((path) => info.path.startsWith(path))) {
      outgoing.setHeader('Connection', 'close')
      outgoing.setHeader('Retry-After', '5')
      return sendPlain(c, plainError(429, 'The apiserver is shutting down, please try again later.'))
    }
    const common = ['Audit-Id', requestId, 'Cache-Control', 'no-cache, private']
    if (hsts !== undefined) common.push(...hsts)
    c.env.commonHeaders = common

    const question = target.indexOf('?')
    const query = question < 0 ? '' : target.slice(question + 1)
    const longRunning = isLongRunning(info)
    const timeout = longRunning ? undefined : requestTimeout(query, options.requestTimeoutMs)
    if (timeout?.error !== undefined) {
      setRequestContext(c, contextFor(unknownUser))
      return writeError(c, timeout.error)
    }

    const observed = { info, method, query, contentType: incoming.headers['content-type'] }
    let release = nothing
    function contextFor(user: UserInfo): ActiveRequest {
      return new ActiveRequest({
        info,
        user,
        requestId,
        now: options.now,
        incoming,
        outgoing,
        warn: createWarner(c),
        onExpire: (late) => {
          metrics.terminated(observed, 504)
          if (outgoing.headersSent) metrics.aborted(observed)
          answerLate(c, late)
          release()
        },
      })
    }

    if (origins !== undefined) {
      const allowed = corsHeaders(origins, headerText(incoming.headers.origin))
      if (allowed !== undefined) {
        common.push(...allowed)
        if (method === 'OPTIONS') return sendBytes(c, 204, {}, '')
      }
    }

    const key = connectionKey(incoming)
    const connection = connectionOf(key)
    const peer = connection?.peer
    const trusted = c.env.user
    const pending =
      trusted === undefined
        ? authenticator.authenticate({
            headers: incoming.headers,
            path: info.path,
            peerCertificate: peer?.certificate,
            peerCertificateError: peer?.error,
            connection: key,
          })
        : ({ outcome: 'authenticated', user: trusted } as const)
    const authentication = pending instanceof Promise ? await pending : pending
    // One reading of the clock is the end of one part and the beginning of the next.
    let partBegan = performance.now()
    access.authenticated(authentication, (partBegan - started) / 1000)
    if (authentication.outcome !== 'authenticated') {
      closeAfterAnswer(incoming)
      // With another connection the client may show another certificate, or the same to other authorities.
      if (peer?.error !== undefined && 'shouldKeepAlive' in outgoing) outgoing.shouldKeepAlive = false
      setRequestContext(c, contextFor(unknownUser))
      return writeError(c, newUnauthorized('Unauthorized'))
    }
    if (peer?.certificate !== undefined) metrics.clientCertificate.observe((peer.expires - Date.now()) / 1000)
    const { user: requestor } = authentication
    if (record !== undefined) record.user = requestor.name
    if (requestor.name === anonymousUser || requestor.groups.includes(unauthenticatedGroup)) closeAfterAnswer(incoming)
    else connection?.identified()
    delete incoming.headers.authorization

    let user = requestor
    try {
      const wanted = impersonatedUser(incoming.rawHeaders)
      if (wanted !== undefined) {
        user = await authorizeImpersonation(authorizer, { user: requestor, info, wanted })
        if (record !== undefined) record.impersonatedUser = user.name
        partBegan = performance.now()
      }
    } catch (error) {
      if (!isApiError(error)) throw error
      setRequestContext(c, contextFor(requestor))
      return writeError(c, error)
    }

    if (options.goAwayChance > 0 && Math.random() < options.goAwayChance) closeAfterAnswer(incoming)
    const request = contextFor(user)
    setRequestContext(c, request)
    let seat: Seat | undefined
    const lasting = longRunning ? metrics.longRunning(observed) : undefined
    if (lasting === undefined) {
      seat = limit.enter(info, user)
      if (seat === undefined) {
        metrics.dropped(observed)
        outgoing.setHeader('Retry-After', '1')
        return writeError(c, newTooManyRequests('Too many requests, please try again later.', 1))
      }
      c.env.clientWait = seat
    } else {
      lasting.value++
      keepWhileQuiet(outgoing)
    }

    lifecycle.enter()
    let deadline: Deadline | undefined
    let ownTimer: NodeJS.Timeout | undefined
    if (timeout?.milliseconds !== undefined) {
      if (timeout.milliseconds === options.requestTimeoutMs) deadline = deadlines.add(request, started)
      else ownTimer = setTimeout(() => request.expire(), timeout.milliseconds)
    }
    // Once, at the end or when the deadline has passed: a handler that never ends must not keep its place for ever.
    release = () => {
      release = nothing
      request.finish()
      if (deadline !== undefined) deadlines.delete(deadline)
      clearTimeout(ownTimer)
      seat?.leave()
      if (lasting !== undefined) lasting.value--
      lifecycle.leave()
    }
    try {
      const attributes = { user, info }
      const asked = authorizer.authorize(attributes)
      const decision = asked instanceof Promise ? await asked : asked
      access.authorized(decision.decision, (performance.now() - partBegan) / 1000)
      if (decision.decision !== 'allow') return writeError(c, forbiddenError(attributes, decision.reason))
      await next()
      if (isObserved(info)) metrics.observe(observed, outgoing.statusCode, (performance.now() - started) / 1000, c.env.sentBytes ?? 0)
    } finally {
      release()
    }
  }

  return {
    middleware: (c, next) => {
      const { incoming, outgoing } = c.env
      if (incoming === undefined || outgoing === undefined) throw new Error('the handler chain needs node requests')
      return serve(c, next, incoming, outgoing).catch((error: unknown) => {
        options.onPanic(error, incoming.method ?? '', incoming.url ?? '', c.env.commonHeaders?.[1] ?? '')
        return answerPanic(c)
      })
    },
    close: () => deadlines.stop(),
  }
}

const nothing = (): void => {}

const unknownUser: UserInfo = { name: '', groups: [] }

/** A bug got this far. The answer says nothing about it. */
export function answerPanic(c: InstallerContext): Response {
  const outgoing = c.env.outgoing
  if (outgoing?.headersSent && !outgoing.writableEnded) outgoing.destroy()
  return sendPlain(c, plainError(500, 'This request caused apiserver to panic. Look in the logs for details.'))
}

/** The handler is still busy: the client gets its 504, or, when an answer had begun, a broken connection rather than one that looks whole. */
function answerLate(c: InstallerContext, { outgoing }: ActiveRequest): void {
  if (outgoing.headersSent) outgoing.destroy()
  else void writeError(c, newTimeout('request did not complete within the allotted timeout', 0))
}

/** HTTP/1.1 closes a connection on which nothing moves, unless somebody cares: a watch may be quiet for long, but not while events wait to be taken. */
function keepWhileQuiet(outgoing: Outgoing): void {
  if ('stream' in outgoing) return
  outgoing.on('timeout', () => {
    if (outgoing.writableLength > 0) outgoing.destroy()
  })
}

/** HTTP/2 is costly to keep open: a client that is nobody gets one request per connection. */
function closeAfterAnswer(incoming: Incoming): void {
  if (!('stream' in incoming) || incoming.httpVersionMajor !== 2) return
  const { session } = incoming.stream
  incoming.stream.once('close', () => {
    if (session === undefined || session.closed || session.destroyed || leaving.has(session)) return
    leaving.add(session)
    // No new requests, please; those that are on their way are still served.
    session.goaway(0, lastPossibleStream)
    setTimeout(() => session.close(), farewellMs).unref()
  })
}

/** Sessions whose clients have been asked to leave: once is enough, however many requests they had on their way. */
const leaving = new WeakSet<object>()
const lastPossibleStream = 2 ** 31 - 1
const farewellMs = 1000

function headerText(value: string | readonly string[] | undefined): string | undefined {
  const text = typeof value === 'string' ? value : value?.[0]
  return text === '' ? undefined : text
}
