import type { AddressInfo } from 'node:net'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { messageOf, optionProblems, systemClock } from '@keelson/apimachinery'
import type { UserInfo } from '@keelson/apimachinery'
import { authenticatedUser, createImpersonationMetrics } from '@keelson/auth'
import type { Authenticator, Authorizer, IdentityHeaders } from '@keelson/auth'
import { isAbort, isExchange } from '@keelson/exchange'
import type { CborCodec, Exchange, ExchangeServices } from '@keelson/exchange'
import {
  createRouteFinder,
  exchangeOf,
  isInstalledResource,
  responseSent,
  serveJsonDocument,
  withExchange,
  writeNothingThere,
  writePageNotFound,
} from '@keelson/http-installer'
import type { InstallerContext, InstallerEnv } from '@keelson/http-installer'
import { Hono } from 'hono'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import { getPath } from 'hono/utils/url'
import { createAccessMetrics } from './filters/authentication.ts'
import { consoleLog, describeError } from './console-log.ts'
import { buildFilters } from './filters/build-filters.ts'
import { placeFilters, answerPanic, createHandlerChain } from './filters/filter.ts'
import type { PlacedFilter } from './filters/filter.ts'
import type { InFlightLimits } from './filters/in-flight.ts'
import { createDeadlines } from './filters/request-deadline.ts'
import { createHealthEndpoint, registerHealthMetrics } from './health.ts'
import { ClientAuthorities } from './client-authorities.ts'
import type { TrustedAuthorities } from './client-authorities.ts'
import type { ServingCertificates } from './certificates/serving-names.ts'
import type { HealthCheck, OnChecked } from './health.ts'
import { registerBuildInfo, versionInfo } from './version.ts'
import { Lifecycle } from './filters/wait-group.ts'
import { installMetrics } from './install-metrics.ts'
import { createNodeListener, PathRouter } from './hono-adapter.ts'
import { optionTable } from './option-table.ts'
import { rawJson, sendPlain } from './plain-answer.ts'
import { installProfiling } from './pprof/install-profiling.ts'
import { registerProcessMetrics } from './process-metrics.ts'
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
    /** PEM. Default: the server does not request client certificates. */
    readonly clientAuthorities?: readonly string[]
    /** PEM. The authorities of front proxies, which send the user of a request in its headers. Default: none. */
    readonly frontProxyAuthorities?: readonly string[]
    /** Default: TLS 1.2 and later, with the runtime's ciphers. */
    readonly settings?: TlsSettings
  }
  /** Headers with user names, in addition to `X-Remote-*`. All are removed from authenticated requests. Default: none. */
  readonly identityHeaders?: IdentityHeaders
  /** Permissions may limit impersonation to a kind of user and to some requests (KEP-5284). Default true. */
  readonly constrainedImpersonation?: boolean
  /** The number of requests in flight; 0 means no limit. Default: `serverDefaults`. */
  readonly limits?: InFlightLimits
  /** Patterns of origins whose pages may read responses (CORS). Default: none. */
  readonly corsAllowedOrigins?: readonly RegExp[]
  /** Directives such as `max-age=31536000`, `includeSubDomains`, `preload`. Default: no `Strict-Transport-Security` header. */
  readonly hstsDirectives?: readonly string[]
  /** During shutdown, accept connections until all requests have ended, and answer new requests with 429. Default: false. */
  readonly shutdownSendRetryAfter?: boolean
  readonly requestTimeoutMs?: number
  /** The limit of open connections. Beyond it, the oldest connection without an authenticated client is closed. Default: 10,000. */
  readonly maxConnections?: number
  /**
   * The time after which a client that reads nothing of a waiting response is disconnected. Default, and smallest sensible value: one minute more than
   * `requestTimeoutMs`.
   */
  readonly stallMs?: number
  /** The bytes of large request bodies in memory at the same time. Beyond it, bodies of users with more than an equal share wait. Default: 128 MiB. */
  readonly maxBodyBytes?: number
  /**
   * The bytes of responses that wait for clients to read. Beyond it, the server aborts the oldest responses of the user with the most bytes. Default: 256 MiB.
   */
  readonly maxUnreadBytes?: number
  /** Serve HTTP/2 in addition to HTTP/1.1. Default: true. */
  readonly http2?: boolean
  /** If true, neither the port nor its connections keep the process alive, as after `unref()` of Node's servers. Default: false. */
  readonly unref?: boolean
  /** The clock for the validity of client certificates. Default: the system clock. */
  readonly now?: () => number
  /** The clock for times that handlers write into objects. Default: the system clock. */
  readonly requestNow?: () => number
  /** The limit of open requests on one HTTP/2 connection. Default: `serverDefaults`. */
  readonly maxStreamsPerConnection?: number
  /** The probability (0 to 0.02) of asking an HTTP/2 client to reconnect after a response, so that load balancers can distribute clients. Default: 0. */
  readonly goAwayChance?: number
  readonly version?: VersionInfo
  /** The registry behind `/metrics`. The server adds its own metrics to it. Default: a new one. */
  readonly metrics?: MetricsRegistry
  /**
   * Receives log messages. Level 0 is for messages that an operator must see (bugs); higher levels are more verbose (2: failing health checks). Default: level
   * 0 goes to the console.
   */
  readonly log?: Log
  /** Log every completed request at level 3. Default: false. */
  readonly logRequests?: boolean
  /** The codec for CBOR. Default: CBOR is neither accepted nor produced. */
  readonly cbor?: CborCodec | undefined
  /** The debugging pages. Default: only `/statusz`. */
  readonly zpages?: ZPages
  /** Serve profiles of the process at `/debug/pprof/`. Default: false. */
  readonly profiling?: boolean
  /** Filters of your own, each before or after a named one. Default: none. */
  readonly filters?: readonly PlacedFilter[]
}

/** Writes one log line: a message and named values. A value named `err` (an Error or a text) marks an error. */
export type Log = (level: number, text: string, fields?: Readonly<Record<string, unknown>>) => void

export interface Server {
  /** The Hono app. API groups are installed on it. */
  readonly app: Hono<InstallerEnv>
  readonly metrics: MetricsRegistry
  /** Aborts when the shutdown begins. */
  readonly stopping: AbortSignal
  /** Adds a health check to endpoints (default: all). Returns a function that removes it. */
  addHealthCheck(check: HealthCheck, endpoints?: readonly HealthEndpointName[]): () => void
  /** Adds paths to the list at `/`. Calls `paths` for each request of the list. Returns a function that removes them. */
  addListedPaths(paths: () => readonly string[]): () => void
  listen(port: number, host: string): Promise<AddressInfo>
  /**
   * Serves a request in process, without a port or `listen`. Takes the arguments of the global `fetch`, and also a path alone. Returns the response unchanged,
   * compressed if the request accepts that. Without credentials and without `user`, the request is anonymous, as over the network. `app.request()` and
   * `app.fetch()` do the same, without `user`.
   *
   * @example
   * const answer = await server.fetch('/api/v1/namespaces/default/configmaps', { user: { name: 'alice', groups: ['dev'] } })
   */
  fetch(input: Request | URL | string, init?: FetchInit): Promise<Response>
  /**
   * Replaces the serving certificates and, if present, the authorities of client certificates. The authorities also apply to open connections. Throws if the
   * certificates are unusable, and then changes nothing.
   */
  serveCertificates(certificates: ServingCertificates & Pick<ServerOptions['tls'], 'clientAuthorities' | 'frontProxyAuthorities'>): void
  /** Makes `/readyz` fail, so that load balancers choose other servers. Requests are still served. */
  failReadiness(): void
  /** Stops gracefully: refuses new requests, ends watches, and waits `graceMs` (default: 10 s) for requests in flight. Later calls return the same promise. */
  close(graceMs?: number): Promise<void>
}

/** The options of the global `fetch`, and the user of the request. */
export interface FetchInit extends RequestInit {
  /** The authenticated user. Credentials of the request are ignored. `system:authenticated` is added to the groups. */
  readonly user?: Pick<UserInfo, 'name'> & Partial<UserInfo>
}

export type HealthEndpointName = 'healthz' | 'livez' | 'readyz'
const endpointNames: readonly HealthEndpointName[] = ['healthz', 'livez', 'readyz']

/**
 * Creates the HTTPS server around the API groups: filters, non-API paths, start and stop. Throws `TypeError` for options that are unknown, missing or of a
 * wrong type.
 */
export function createServer(options: ServerOptions): Server {
  const problems = optionProblems(options, optionTable)
  if (problems.length > 0) throw new TypeError(problems.join('; '))
  const log = options.log ?? consoleLog
  const onBug = (request: string, error: unknown, requestId?: string): void => {
    log(isAbort(error) ? 3 : 0, 'Internal error', { request, err: describeError(error), ...(requestId && { 'audit-ID': requestId }) })
  }
  const lifecycle = new Lifecycle()
  const metrics = options.metrics ?? createMetricsRegistry()
  const requestMetrics = createRequestMetrics(metrics, (info) =>
    info.isResourceRequest ? isInstalledResource(app, info) : allPaths().includes(info.path),
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
    identityHeaders: options.identityHeaders ?? [],
    impersonation: { constrained: options.constrainedImpersonation ?? true, metrics: createImpersonationMetrics(metrics) },
    limits: options.limits ?? serverDefaults.limits,
    deadlines,
    goAwayChance: options.goAwayChance ?? 0,
    corsAllowedOrigins: options.corsAllowedOrigins ?? [],
    hstsDirectives: options.hstsDirectives ?? [],
    lifecycle,
    metrics: requestMetrics,
    access: createAccessMetrics(metrics),
    findRoute: (info) => findRoute(info),
    onRejected: (reason, { requestId }) => log(2, 'Unable to authenticate the request', { err: reason, 'audit-ID': requestId }),
    onRequest: options.logRequests === true ? (record) => log(3, 'HTTP', record) : undefined,
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
    const exchange = exchangeOf(c)
    onFailure(error, exchange)
    answerPanic(exchange)
    return responseSent
  }
  const app = new Hono<InstallerEnv>({
    // Dispatch the path that the filters have authorized. Hono's own `getPath` resolves dots.
    getPath: (request, options) => {
      const env: unknown = options?.env
      return isExchange(env) ? env.target.path : getPath(request)
    },
    router: new SmartRouter({ routers: [new PathRouter(onError), new TrieRouter()] }),
  })
  const findRoute = createRouteFinder(app)
  app.use('*', chain)
  app.onError(onError)
  app.notFound(withExchange(writePageNotFound))

  const version = options.version ?? versionInfo()
  registerBuildInfo(metrics, version)
  const checks: Record<HealthEndpointName, HealthCheck[]> = { healthz: [], livez: [], readyz: [] }
  const listedPaths = new Set<() => readonly string[]>()
  const healthMetrics = registerHealthMetrics(metrics)
  installHealth(app, checks, { onFailure: (text) => log(2, text), onChecked: healthMetrics.onChecked })
  installPlainPaths()
  if (options.profiling === true) installProfiling(app)
  const zpages = installZPages(app, { componentName: 'kube-apiserver', version, paths: allPaths, ...options.zpages })
  let isReadinessFailed = false
  checks.readyz.push({
    name: 'shutdown',
    check: () => {
      if (isReadinessFailed || lifecycle.state !== 'running') throw new Error('process is shutting down')
    },
  })

  function installPlainPaths(): void {
    const body = rawJson(version)
    const serveVersion = withExchange((exchange) => serveJsonDocument(exchange, () => sendPlain(exchange, body)))
    app.all('/version', serveVersion)
    app.all('/version/', serveVersion)
    app.all('/version/*', withExchange(writeNothingThere))
    // As in kube-apiserver, a server that serves profiles also allows resetting the metrics.
    const resettable = options.profiling === true
    installMetrics(app, '/metrics', metrics, resettable)
    installMetrics(app, '/metrics/slis', healthMetrics.page, resettable)
    const index = withExchange((exchange) => sendPlain(exchange, rawJson({ paths: allPaths() })))
    app.all('/', index)
    app.all('/index.html', index)
  }

  function allPaths(): string[] {
    const paths = new Set(['/metrics', '/metrics/slis', '/version', ...zpages])
    for (const name of endpointNames) {
      paths.add(`/${name}`)
      for (const check of checks[name]) paths.add(`/${name}/${check.name}`)
    }
    for (const more of listedPaths) for (const path of more()) paths.add(path)
    return [...paths].sort()
  }

  const node = createNodeListener({ fetch: app.fetch, services, onError: onFailure })
  const { fetch } = app
  // Calls of `app.request()` and `app.fetch()` without bindings get an exchange too.
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
    lifecycle.drain()
    if (options.shutdownSendRetryAfter !== true) listener?.stopAccepting()
    const began = performance.now()
    // The client may not have read a written response yet.
    const idle = await lifecycle.idle(graceMs)
    await listener?.close(idle ? Math.max(1000, graceMs - (performance.now() - began)) : 0)
    node.close()
    deadlines.stop()
    lifecycle.stop()
  }

  return {
    app,
    metrics,
    stopping: lifecycle.stopping,
    addHealthCheck: (check, endpoints = endpointNames) => {
      for (const name of endpoints) checks[name].push(check)
      return () => {
        for (const name of endpoints) checks[name] = checks[name].filter((other) => other !== check)
      }
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
    fetch: (input, { user, ...init } = {}) => node.fetch(requestOf(input, init), user && authenticatedUser({ groups: [], ...user })),
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
    close: (graceMs = serverDefaults.closeGraceMs) => (closing ??= close(graceMs)),
  }
}

function installHealth(
  app: Hono<InstallerEnv>,
  checks: Record<HealthEndpointName, HealthCheck[]>,
  { onFailure, onChecked }: { readonly onFailure: (text: string) => void; readonly onChecked: OnChecked },
): void {
  for (const name of endpointNames) {
    checks[name].push({ name: 'ping', check: () => {} })
    const endpoint = createHealthEndpoint({
      name,
      checks: () => checks[name],
      onChecked: (check, passed) => onChecked(name, check, passed),
      onFailure: (at, check, error) => onFailure(`${check} check failed: ${at}: ${messageOf(error)}`),
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

/** Builds a request. A path alone gets a host name, which the server ignores. */
function requestOf(input: Request | URL | string, init: RequestInit): Request {
  if (typeof input === 'string') return new Request(new URL(input, 'https://localhost'), init)
  return input instanceof URL || Object.keys(init).length > 0 ? new Request(input, init) : input
}
