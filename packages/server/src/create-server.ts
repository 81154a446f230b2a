import type { AddressInfo } from 'node:net'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { ApiError, checkOptions, systemClock } from '@keelson/apimachinery'
import type { UserInfo } from '@keelson/apimachinery'
import { addAuthenticatedGroup, createImpersonationMetrics } from '@keelson/auth'
import type { Authenticator, Authorizer, IdentityHeaders } from '@keelson/auth'
import type { Auditor } from '@keelson/audit'
import type { RequestTracer } from '@keelson/tracing'
import { isAbort, isExchange } from '@keelson/exchange'
import type { CborCodec, Exchange, ExchangeServices } from '@keelson/exchange'
import {
  createRouteFinder,
  getExchange,
  isInstalledResource,
  responseSent,
  serveJsonDocument,
  withExchange,
  writeError,
  writeNothingThere,
  writePageNotFound,
} from '@keelson/http-installer'
import type { InstallerContext, InstallerEnv } from '@keelson/http-installer'
import { Hono } from 'hono'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import { getPath } from 'hono/utils/url'
import { createAccessMetrics } from './filters/authentication.ts'
import { logToConsole, describeError } from './console-log.ts'
import { buildFilters } from './filters/build-filters.ts'
import { placeFilters, answerPanic, createHandlerChain } from './filters/filter.ts'
import type { PlacedFilter } from './filters/filter.ts'
import type { FlowControl } from './filters/flow-control.ts'
import type { InFlightLimits } from './filters/in-flight.ts'
import { createDeadlines } from './filters/request-deadline.ts'
import { createHealthEndpoint, createHealthMetrics } from './health.ts'
import { ClientAuthorities } from './client-authorities.ts'
import type { TrustedAuthorities } from './client-authorities.ts'
import type { ServingCertificates } from './certificates/serving-names.ts'
import type { HealthCheck, OnChecked } from './health.ts'
import { registerBuildInfo, getVersionInfo } from './version.ts'
import { Lifecycle } from './filters/wait-group.ts'
import { installDebugFlags } from './debug-flags.ts'
import { installFlowControlPages } from './install-flow-control-pages.ts'
import type { DumpedFlowControl } from './install-flow-control-pages.ts'
import { installMetrics } from './install-metrics.ts'
import { createNodeListener, PathRouter } from './hono-adapter.ts'
import { optionTable } from './option-table.ts'
import { createRawJson, sendPlain } from './plain-answer.ts'
import { installProfiling } from './pprof/install-profiling.ts'
import { registerProcessMetrics } from './process-metrics.ts'
import { createBasicChecks } from './basic-checks.ts'
import { createBodyBudget } from './body-budget.ts'
import { serverDefaults } from './server-defaults.ts'
import { createUnreadAnswers } from './unread-answers.ts'
import { createRequestMetrics } from './request-metrics.ts'
import { createTlsListener } from './tls-listener.ts'
import type { TlsListener } from './tls-listener.ts'
import type { TlsSettings } from './tls-settings.ts'
import type { VersionInfo } from './version.ts'
import { installZPages } from './zpages.ts'
import type { ZPages } from './zpages.ts'

export interface ServerOptions {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly tls: ServingCertificates & {
    /** CAs of client certificates in PEM. Default: the server does not request client certificates. */
    readonly clientAuthorities?: readonly string[]
    /** CAs of front proxies in PEM. Front proxies send the user of a request in headers. Default: none. */
    readonly frontProxyAuthorities?: readonly string[]
    /** TLS versions and ciphers. Default: TLS 1.2 and later, with the ciphers of Node.js. */
    readonly settings?: TlsSettings
  }
  /**
   * Returns the headers with user names, in addition to `X-Remote-*`. They are removed from requests after authentication. A change is another
   * list. Default: none.
   */
  readonly identityHeaders?: () => IdentityHeaders
  /**
   * Enables constrained impersonation (KEP-5284): permissions may limit impersonation to some kinds of users and some requests. Default:
   * true.
   */
  readonly constrainedImpersonation?: boolean
  /** Maximum numbers of requests in flight. 0 means no limit. Default: `serverDefaults`. */
  readonly limits?: InFlightLimits
  /** Priority and fairness, which replaces `limits`. Default: none. */
  readonly flowControl?: (FlowControl & DumpedFlowControl) | undefined
  /** Patterns of origins whose web pages may read responses (CORS). Default: none. */
  readonly corsAllowedOrigins?: readonly RegExp[]
  /** Directives of the `Strict-Transport-Security` header, such as `max-age=31536000`. Default: the header is not sent. */
  readonly hstsDirectives?: readonly string[]
  /** During shutdown, accepts connections and answers new requests with 429 until all requests have ended. Default: false. */
  readonly shutdownSendRetryAfter?: boolean
  /** Maximum time in milliseconds over which the ends of watches are spread during shutdown. Default: 0, they end at once. */
  readonly shutdownWatchGraceMs?: number
  readonly requestTimeoutMs?: number
  /** Time in milliseconds for which `/livez` succeeds although checks of the start fail. Default: 0. */
  readonly livezGraceMs?: number
  /** Maximum number of open connections. At the limit, the oldest unauthenticated connection is closed. Default: 10,000. */
  readonly maxConnections?: number
  /**
   * Time in milliseconds after which a client that does not read its response is disconnected. It should be at least one minute more than
   * `requestTimeoutMs`, which is the default.
   */
  readonly stallMs?: number
  /**
   * Maximum size in bytes of all large request bodies in memory. Above it, the bodies of users that have more than an equal share are
   * paused. Default: 128 MiB.
   */
  readonly maxBodyBytes?: number
  /**
   * Maximum size in bytes of responses that clients have not read yet. Above it, the server aborts the oldest responses of the user with
   * the most bytes. Default: 256 MiB.
   */
  readonly maxUnreadBytes?: number
  /** Serves HTTP/2 in addition to HTTP/1.1. Default: true. */
  readonly http2?: boolean
  /** If true, the port and its connections do not keep the process alive, as after `unref()` of Node's servers. Default: false. */
  readonly unref?: boolean
  /** Clock for the validity of client certificates. Default: the system clock. */
  readonly now?: () => number
  /** Clock for timestamps that handlers write into objects. Default: the system clock. */
  readonly requestNow?: () => number
  /** Maximum number of concurrent requests on one HTTP/2 connection. Default: `serverDefaults`. */
  readonly maxStreamsPerConnection?: number
  /**
   * Probability (0 to 0.02) that the server sends GOAWAY after a response. HTTP/2 clients then reconnect, so that load balancers can
   * distribute them. Default: 0.
   */
  readonly goAwayChance?: number
  readonly version?: VersionInfo
  /** Registry of the metrics at `/metrics`. The server registers its own metrics in it. Default: a new registry. */
  readonly metrics?: MetricsRegistry
  /**
   * Log function. Level 0 is for messages that an operator must see, such as bugs; higher levels are more verbose (2: failing health
   * checks). Default: level 0 goes to the console.
   */
  readonly log?: Log
  /** Whether every completed request is logged at level 3. A function is called for each request. Default: false. */
  readonly logRequests?: boolean | (() => boolean)
  /** Codec for CBOR. Default: the server neither accepts nor sends CBOR. */
  readonly cbor?: CborCodec | undefined
  /** Debugging pages to serve. Default: only `/statusz`. */
  readonly zpages?: ZPages
  /** Serves profiles of the process at `/debug/pprof/`. Default: false. */
  readonly profiling?: boolean
  /**
   * Sets the verbosity of the log, for `PUT /debug/flags/v`. Throws an error whose message is shown to the client. Default: the path does not
   * exist. It does not exist without `profiling` either.
   */
  readonly setVerbosity?: (text: string) => void
  /** Records requests for the audit log. Default: requests are not audited. The caller closes it after the server. */
  readonly auditor?: Pick<Auditor, 'open'> | undefined
  /** Records traces of requests. Default: requests are not traced. The caller shuts it down after the server. */
  readonly tracer?: RequestTracer | undefined
  /** Custom filters. Each is placed before or after a named filter. Default: none. */
  readonly filters?: readonly PlacedFilter[]
}

/** Writes a log message with named values. A value named `err` (an Error or a text) marks the message as an error. */
export type Log = (level: number, text: string, fields?: Readonly<Record<string, unknown>>) => void

export interface Server {
  /** The Hono app. API groups are installed on it. */
  readonly app: Hono<InstallerEnv>
  readonly metrics: MetricsRegistry
  /** Signal that aborts when the shutdown begins. */
  readonly stopping: AbortSignal
  /** Returns the time in milliseconds after which the next watch ends when the shutdown begins. */
  delayWatchEnd(): number
  /** Counts a request for another API server that this server answered with an error. */
  countForwardingFailure(exchange: Exchange, code: number): void
  /** Adds a health check to some of the health endpoints (default: all). Returns a function that removes the check. */
  addHealthCheck(check: HealthCheck, endpoints?: readonly HealthEndpointName[]): () => void
  /** Adds a health check of the start to all endpoints. `/livez` ignores its failures for the time `livezGraceMs`. */
  addStartCheck(check: HealthCheck): void
  /**
   * Adds paths to the list of paths that the server returns at `/`. Calls `paths` for each request of that list. Returns a function that
   * removes the paths.
   */
  addListedPaths(paths: () => readonly string[]): () => void
  listen(port: number, host: string): Promise<AddressInfo>
  /**
   * Serves a request in process, without a port or `listen`. Takes the arguments of the global `fetch`; the URL may also be a path only.
   * The response is compressed if the request accepts that. A request without credentials and without `user` is anonymous, as over the
   * network. `app.request()` and `app.fetch()` do the same, but have no `user`.
   *
   * @example
   * const answer = await server.fetch('/api/v1/namespaces/default/configmaps', { user: { name: 'alice', groups: ['dev'] } })
   */
  fetch(input: Request | URL | string, init?: FetchInit): Promise<Response>
  /**
   * Replaces the serving certificates and, if present, the CAs of client certificates. New CAs also apply to open connections. If the
   * certificates are unusable, throws and changes nothing.
   */
  serveCertificates(certificates: ServingCertificates & Pick<ServerOptions['tls'], 'clientAuthorities' | 'frontProxyAuthorities'>): void
  /** Makes `/readyz` fail, so that load balancers choose other servers. Requests are served as before. */
  failReadiness(): void
  /**
   * Answers 503 instead of 404 to requests for unknown paths until the returned function is called. A client that gets 404 for a custom
   * resource would conclude that the resource was removed.
   */
  holdUnknownPaths(): () => void
  /**
   * Shuts the server down gracefully: refuses new requests, ends watches, and waits `graceMs` (default: 10 s) for requests in flight. Later
   * calls return the same promise.
   */
  close(graceMs?: number): Promise<void>
}

/** Options of the global `fetch`, and the user of the request. */
export interface FetchInit extends RequestInit {
  /** User of the request. If set, credentials of the request are ignored, and `system:authenticated` is added to the groups. */
  readonly user?: Pick<UserInfo, 'name'> & Partial<UserInfo>
}

export type HealthEndpointName = 'healthz' | 'livez' | 'readyz'
/** The headers of a server that reads only the standard ones. */
const noHeaders: IdentityHeaders = []
const endpointNames: readonly HealthEndpointName[] = ['healthz', 'livez', 'readyz']

/**
 * Creates the HTTPS server for API groups, with filters, non-API paths, start and stop. Throws `TypeError` for options that are unknown,
 * missing or of a wrong type.
 */
export function createServer(options: ServerOptions): Server {
  const problems = checkOptions(options, optionTable)
  if (problems.length > 0) throw new TypeError(problems.join('; '))
  const log = options.log ?? logToConsole
  const onBug = (request: string, error: unknown, requestId?: string): void => {
    log(isAbort(error) ? 3 : 0, 'Internal error', { request, err: describeError(error), ...(requestId && { 'audit-ID': requestId }) })
  }
  const { shutdownWatchGraceMs: watchGraceMs = 0 } = options
  const lifecycle = new Lifecycle(watchGraceMs)
  const metrics = options.metrics ?? createMetricsRegistry()
  const requestMetrics = createRequestMetrics(metrics, (attributes) =>
    attributes.isResourceRequest ? isInstalledResource(app, attributes) : listAllPaths().includes(attributes.path),
  )
  const services: ExchangeServices = {
    now: options.requestNow ?? systemClock.now,
    cbor: options.cbor,
    bodyBudget: createBodyBudget(options.maxBodyBytes ?? 128 * 2 ** 20),
    unreadAnswers: createUnreadAnswers(options.maxUnreadBytes ?? 256 * 2 ** 20),
  }
  const deadlines = createDeadlines(options.requestTimeoutMs ?? serverDefaults.requestTimeoutMs, requestMetrics)
  const filters = buildFilters({
    authenticator: options.authenticator,
    authorizer: options.authorizer,
    identityHeaders: options.identityHeaders ?? (() => noHeaders),
    impersonation: { constrained: options.constrainedImpersonation ?? true, metrics: createImpersonationMetrics(metrics) },
    auditor: options.auditor,
    tracer: options.tracer,
    limits: options.limits ?? serverDefaults.limits,
    flowControl: options.flowControl,
    deadlines,
    goAwayChance: options.goAwayChance ?? 0,
    corsAllowedOrigins: options.corsAllowedOrigins ?? [],
    hstsDirectives: options.hstsDirectives ?? [],
    lifecycle,
    sendRetryAfter: options.shutdownSendRetryAfter === true,
    metrics: requestMetrics,
    access: createAccessMetrics(metrics),
    findRoute: (attributes) => findRoute(attributes),
    onRejected: (reason, { requestId }) => log(2, 'Unable to authenticate the request', { err: reason, 'audit-ID': requestId }),
    logsRequests: typeof options.logRequests === 'function' ? options.logRequests : () => options.logRequests === true,
    onRequest: (record) => log(3, 'HTTP', record),
  })
  const onFailure = (error: unknown, { method, incoming, requestId }: Exchange): void =>
    onBug(`${method} ${incoming.url}`, error, requestId)
  const chain = createHandlerChain({
    filters: placeFilters(filters, options.filters ?? []).flatMap(({ filter }) => filter ?? []),
    services,
    onPanic: onFailure,
  })
  registerProcessMetrics(metrics)

  const onError = (error: Error, c: InstallerContext): Response => {
    const exchange = getExchange(c)
    onFailure(error, exchange)
    exchange.audit?.recordPanic(error)
    answerPanic(exchange)
    return responseSent
  }
  const app = new Hono<InstallerEnv>({
    // Returns the path that the filters have authorized. Hono's own `getPath` would resolve "." and ".." segments.
    getPath: (request, options) => {
      const env: unknown = options?.env
      return isExchange(env) ? env.target.path : getPath(request)
    },
    router: new SmartRouter({ routers: [new PathRouter(onError), new TrieRouter()] }),
  })
  const findRoute = createRouteFinder(app)
  app.use('*', chain)
  app.onError(onError)
  app.notFound(withExchange((exchange) => (pathHolds > 0 ? writeError(exchange, newIncompletePaths()) : writePageNotFound(exchange))))
  /** Number of components that have not installed all their paths. */
  let pathHolds = 0

  const version = options.version ?? getVersionInfo()
  registerBuildInfo(metrics, version)
  const checks = createBasicChecks()
  const listedPaths = new Set<() => readonly string[]>()
  const healthMetrics = createHealthMetrics()
  const shutdownCheck: HealthCheck = {
    name: 'shutdown',
    check: () => {
      if (isReadinessFailed || lifecycle.state !== 'running') throw new Error('process is shutting down')
    },
  }
  const listChecks = (name: HealthEndpointName): readonly HealthCheck[] =>
    name === 'readyz' ? [...checks.readyz, shutdownCheck] : checks[name]
  installHealth(app, listChecks, { onFailure: (text) => log(2, text), onChecked: healthMetrics.onChecked })
  installPlainPaths()
  if (options.profiling === true) {
    installProfiling(app)
    if (options.setVerbosity !== undefined) installDebugFlags(app, { v: options.setVerbosity })
  }
  if (options.flowControl !== undefined) installFlowControlPages(app, options.flowControl)
  const zpages = installZPages(app, { componentName: 'kube-apiserver', version, listPaths: listAllPaths, ...options.zpages })
  let isReadinessFailed = false
  function installPlainPaths(): void {
    const body = createRawJson(version)
    const serveVersion = withExchange((exchange) => serveJsonDocument(exchange, () => sendPlain(exchange, body)))
    app.all('/version', serveVersion)
    app.all('/version/', serveVersion)
    app.all('/version/*', withExchange(writeNothingThere))
    // As in kube-apiserver, a server that serves profiles also allows resetting the metrics.
    const resettable = options.profiling === true
    installMetrics(app, '/metrics', metrics, resettable)
    installMetrics(app, '/metrics/slis', healthMetrics.page, resettable)
    const index = withExchange((exchange) => sendPlain(exchange, createRawJson({ paths: listAllPaths() })))
    app.all('/', index)
    app.all('/index.html', index)
  }

  function listAllPaths(): string[] {
    const paths = new Set(['/metrics', '/metrics/slis', '/version', ...zpages])
    for (const name of endpointNames) {
      paths.add(`/${name}`)
      for (const check of listChecks(name)) paths.add(`/${name}/${check.name}`)
    }
    for (const listPaths of listedPaths) for (const path of listPaths()) paths.add(path)
    return [...paths].sort()
  }

  const node = createNodeListener({ fetch: app.fetch, services, onError: onFailure })
  const { fetch } = app
  // Makes `app.request()` and `app.fetch()` work without bindings, by opening an exchange for the request.
  app.fetch = (request, bindings, context) =>
    bindings !== undefined && 'outgoing' in bindings ? fetch(request, bindings, context) : node.fetch(request)

  let listener: TlsListener | undefined
  let serving: ServingCertificates = options.tls
  let authorities: TrustedAuthorities = {
    clients: new ClientAuthorities(options.tls.clientAuthorities ?? []),
    frontProxies: new ClientAuthorities(options.tls.frontProxyAuthorities ?? []),
  }
  let closing: Promise<void> | undefined
  async function close(graceMs: number): Promise<void> {
    const activeBefore = lifecycle.watches
    lifecycle.drain()
    if (options.shutdownSendRetryAfter !== true) listener?.stopAccepting()
    const startTime = performance.now()
    // A response in flight may be written completely, although the client has not read it yet.
    const idle = await lifecycle.idle(Math.max(graceMs, watchGraceMs))
    if (watchGraceMs > 0) {
      const duration = `${watchGraceMs / 1000}s`
      log(1, '[graceful-termination] active watch request(s) have drained', {
        duration,
        activeWatchesBefore: activeBefore,
        activeWatchesAfter: lifecycle.watches,
      })
    }
    await listener?.close(idle ? Math.max(1000, graceMs - (performance.now() - startTime)) : 0)
    node.close()
    deadlines.stop()
    lifecycle.stop()
  }

  return {
    app,
    metrics,
    stopping: lifecycle.stopping,
    delayWatchEnd: () => lifecycle.delayWatchEnd(),
    countForwardingFailure: (exchange, code) => requestMetrics.countFailedForwarding(exchange, code),
    addHealthCheck: (check, endpoints = endpointNames) => {
      for (const name of endpoints) checks[name].push(check)
      return () => {
        for (const name of endpoints) checks[name] = checks[name].filter((other) => other !== check)
      }
    },
    addStartCheck: (check) => {
      const livezFrom = performance.now() + (options.livezGraceMs ?? 0)
      for (const name of ['healthz', 'readyz'] as const) checks[name].push(check)
      checks.livez.push({ ...check, check: () => (performance.now() < livezFrom ? undefined : check.check()) })
    },
    addListedPaths: (paths) => {
      listedPaths.add(paths)
      return () => listedPaths.delete(paths)
    },
    listen: (port, host) => {
      listener = createTlsListener({
        serving,
        authorities,
        now: options.now ?? systemClock.now,
        settings: options.tls.settings ?? {},
        http2: options.http2 ?? true,
        unref: options.unref ?? false,
        maxStreams: options.maxStreamsPerConnection ?? serverDefaults.maxStreamsPerConnection,
        maxConnections: options.maxConnections ?? 10_000,
        stallMs: options.stallMs ?? (options.requestTimeoutMs ?? serverDefaults.requestTimeoutMs) + 60_000,
        onHandshakeError: () => requestMetrics.handshakeErrors.value++,
        requestListener: (incoming, outgoing) => node.request(incoming, outgoing),
        upgradeListener: (incoming, socket, head) => node.upgrade(incoming, socket, head),
      })
      return listener.listen(port, host)
    },
    fetch: (input, { user, ...init } = {}) => node.fetch(toRequest(input, init), user && addAuthenticatedGroup({ groups: [], ...user })),
    serveCertificates: (certificates) => {
      const { clientAuthorities, frontProxyAuthorities } = certificates
      const trusted = {
        clients: clientAuthorities === undefined ? authorities.clients : new ClientAuthorities(clientAuthorities),
        frontProxies: frontProxyAuthorities === undefined ? authorities.frontProxies : new ClientAuthorities(frontProxyAuthorities),
      }
      listener?.serve(certificates, trusted)
      serving = certificates
      authorities = trusted
    },
    failReadiness: () => {
      isReadinessFailed = true
    },
    holdUnknownPaths: () => {
      pathHolds++
      let isHeld = true
      return () => {
        if (isHeld) pathHolds--
        isHeld = false
      }
    },
    close: (graceMs = serverDefaults.closeGraceMs) => (closing ??= close(graceMs)),
  }
}

function newIncompletePaths(): ApiError {
  const message = 'the request has been made before all known HTTP paths have been installed, please try again'
  return new ApiError({ reason: 'ServiceUnavailable', message, details: { retryAfterSeconds: 5 } })
}

function installHealth(
  app: Hono<InstallerEnv>,
  listChecks: (name: HealthEndpointName) => readonly HealthCheck[],
  { onFailure, onChecked }: { readonly onFailure: (text: string) => void; readonly onChecked: OnChecked },
): void {
  for (const name of endpointNames) {
    const endpoint = createHealthEndpoint({
      name,
      listChecks: () => listChecks(name),
      onChecked: (check, passed) => onChecked(name, check, passed),
      onFailure: (endpointName, failed, lines) => onFailure(`${failed.join(',')} check failed: ${endpointName}\n${lines.join('\n')}`),
    })
    app.all(
      `/${name}`,
      withExchange(async (exchange) => sendPlain(exchange, await endpoint.answer(exchange.query))),
    )
    app.all(
      `/${name}/*`,
      withExchange(async (exchange) => {
        const answer = await endpoint.answerOne(exchange.target.path.slice(name.length + 2))
        if (answer === undefined) writePageNotFound(exchange)
        else sendPlain(exchange, answer)
      }),
    )
  }
}

/** Creates a standard `Request`. A path without a host gets a host name that the server ignores. */
function toRequest(input: Request | URL | string, init: RequestInit): Request {
  if (typeof input === 'string') return new Request(new URL(input, 'https://localhost'), init)
  return input instanceof URL || Object.keys(init).length > 0 ? new Request(input, init) : input
}
