import type { WebhookClientConfig } from '@keelson/api/admissionregistration/v1'
import type { DeepReadonly, Span } from '@keelson/apimachinery'
import { buildServiceUrl, checkAuthorities } from '@keelson/outbound'
import type { ClientTarget, Dialer, KubeconfigCredentials, KubeconfigUsers, OutboundAnswer, OutboundClient } from '@keelson/outbound'

/** A connection pool with its credentials. */
interface Connection {
  readonly client: OutboundClient
  readonly credentials: KubeconfigCredentials | undefined
}

/** A request to a webhook. */
export interface HookRequest {
  readonly body: string
  /** The timeout in the URL of the request, in milliseconds. */
  readonly announcedMs: number
  /** The time after which the request fails, in milliseconds. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Step of a recorded request that calls the webhook. */
  readonly span?: Span | undefined
}

/**
 * The connections to one server of webhooks. Several webhooks of one server share them. They are closed after the last request if no
 * webhook uses them any more.
 */
class HookServer {
  readonly #open: () => Promise<Connection>
  #connection: Promise<Connection> | undefined
  #running = 0
  #isRetired = false

  constructor(open: () => Promise<Connection>) {
    this.#open = open
  }

  async request(path: string, { body, announcedMs, timeoutMs, signal, span }: HookRequest): Promise<OutboundAnswer> {
    this.#running++
    try {
      const opening = (this.#connection ??= this.#open())
      opening.catch(() => {
        if (this.#connection === opening) this.#connection = undefined
      })
      const { client, credentials } = await opening
      const answer = await client.request({
        method: 'POST',
        path: `${path}?timeout=${Math.ceil(announcedMs / 1000)}s`,
        headers: {
          accept: 'application/json, */*',
          'content-type': 'application/json',
          'user-agent': 'kube-apiserver-admission',
          ...(await credentials?.headers()),
        },
        body,
        timeoutMs,
        signal,
        span,
        maxBytes: maxResponseBytes,
      })
      if (!answer.failed && answer.status === 401) credentials?.rejectCredentials?.()
      return answer
    } finally {
      this.#running--
      this.#closeIfIdle()
    }
  }

  /** Closes the connections after the last request. A later request opens them again. */
  retire(): void {
    this.#isRetired = true
    this.#closeIfIdle()
  }

  #closeIfIdle(): void {
    if (!this.#isRetired || this.#running > 0) return
    void this.#connection?.then(
      ({ client }) => client[Symbol.dispose](),
      () => {},
    )
    this.#connection = undefined
  }
}

/**
 * The maximum size of a response. A response has at most a patch, which may replace an object of the maximum size. kube-apiserver has no
 * limit.
 */
const maxResponseBytes = 4 * 1024 * 1024
/**
 * The maximum number of connections to a server without HTTP/2. It is the number of requests that are served at the same time by default, so
 * that a slow webhook does not make requests wait for each other. kube-apiserver has no limit.
 */
const maxConnections = 600

/** Sends requests to one webhook. */
export interface HookClient {
  /** Rejects if the webhook's configuration or credentials are unusable. */
  request(request: HookRequest): Promise<OutboundAnswer>
}

export interface HookClientsOptions {
  readonly dialer: Dialer
  /** Users whose credentials are sent to webhooks. Default: requests have no credentials. */
  readonly users?: KubeconfigUsers | undefined
}

/** The clients of all webhooks of a plugin. */
export class HookClients {
  readonly #options: HookClientsOptions
  readonly #servers = new Map<string, HookServer>()

  constructor(options: HookClientsOptions) {
    this.#options = options
  }

  /** Returns a client for a webhook. */
  client(config: DeepReadonly<WebhookClientConfig>): HookClient {
    const { url, service, caBundle = '' } = config
    const key = createServerKey(config)
    if (service === undefined && !URL.canParse(url ?? '')) {
      return { request: () => Promise.reject(new Error(`parse ${JSON.stringify(url ?? '')}: invalid URL`)) }
    }
    const path = cleanPath(service === undefined ? new URL(url ?? '').pathname : (service.path ?? ''))
    return {
      request: (request) => {
        let server = this.#servers.get(key)
        if (server === undefined) {
          const authorities = Buffer.from(caBundle, 'base64').toString('utf8')
          this.#servers.set(key, (server = new HookServer(() => this.#open(config, authorities))))
        }
        return server.request(path, request)
      },
    }
  }

  /** Closes the connections to all servers that no webhook of the list uses. */
  retain(configs: Iterable<DeepReadonly<WebhookClientConfig>>): void {
    const used = new Set(Array.from(configs, createServerKey))
    for (const [key, server] of this.#servers) {
      if (used.has(key)) continue
      this.#servers.delete(key)
      server.retire()
    }
  }

  async #open({ url, service }: DeepReadonly<WebhookClientConfig>, authorities: string): Promise<Connection> {
    const { dialer, users } = this.#options
    const target: ClientTarget =
      service === undefined
        ? { url: url ?? '' }
        : createServiceTarget({ namespace: service.namespace, name: service.name, port: service.port ?? 443 })
    if (authorities.trim() !== '') checkAuthorities(authorities)
    const { hostname, port } = new URL(target.url)
    const credentials = await users?.find(hostname.replace(/^\[|\]$/g, ''), port === '' ? (target.service?.port ?? 443) : Number(port))
    const tls = { ...(authorities.trim() !== '' && { authorities }), ...credentials?.tls }
    const { readCertificate } = credentials ?? {}
    return { client: dialer.client({ ...target, tls, maxConnections, readCertificate }), credentials }
  }
}

function createServiceTarget(service: { readonly namespace: string; readonly name: string; readonly port: number }): ClientTarget {
  return { url: buildServiceUrl(service), service }
}

/** Returns a text that is the same for webhooks that can share connections. */
function createServerKey({ url = '', service, caBundle = '' }: DeepReadonly<WebhookClientConfig>): string {
  if (service !== undefined) return `${service.namespace}/${service.name}:${service.port ?? 443} ${caBundle}`
  return `${URL.canParse(url) ? new URL(url).origin : url} ${caBundle}`
}

/** Returns the path as client-go sends it: without a slash at its end, and with at least one at its start. */
function cleanPath(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  return `/${segments.join('/')}`
}
