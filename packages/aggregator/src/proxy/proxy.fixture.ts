import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { UserInfo } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { Exchange, parseRequestInfo } from '@keelson/exchange'
import type { Incoming, Outgoing } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import { createDialer } from '@keelson/outbound'
import { createMemoryCertificateStore, openOwnCertificates } from '@keelson/server'
import type { ProxyTarget, ProxyTransport } from '../target.ts'
import { createProxyTransport } from './create-proxy-transport.ts'
import type { ProxyTransportOptions } from './create-proxy-transport.ts'

/** Certificates for a backend of the Service "metrics" in "kube-system", and for the proxy in front of it. */
export type Certificates = Awaited<ReturnType<typeof createCertificates>>

export async function createCertificates() {
  const created = await openOwnCertificates({ store: createMemoryCertificateStore(), names: ['metrics.kube-system.svc'], frontProxy: true })
  return { serving: created.serving, authority: created.ca.certificate, frontProxy: created.frontProxy! }
}

export type Protocol = 'h2' | 'http/1.1'
export type BackendHandler = (request: http.IncomingMessage, response: http.ServerResponse) => void

export interface Listening extends AsyncDisposable {
  readonly port: number
  readonly server: Server
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>
}

/** Starts a server that requires the client certificate of a front proxy. */
export async function startBackend({ serving, frontProxy }: Certificates, protocol: Protocol, handler: BackendHandler): Promise<Listening> {
  const options = {
    cert: serving.certificate,
    key: serving.key,
    ca: frontProxy.ca.certificate,
    requestCert: true,
    keepAliveTimeout: 60_000,
  }
  return listen(protocol === 'h2' ? http2.createSecureServer(options, handler as never) : https.createServer(options, handler))
}

export async function listen(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  const addSocket = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', addSocket).on('secureConnection', addSocket)
  server.on('sessionError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    server,
    sockets,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

export interface FrontOptions {
  readonly certificates: Certificates
  /** Port of the backend. Absent: the service has no address. */
  readonly getPort?: () => number | undefined
  readonly target?: Partial<ProxyTarget>
  readonly user?: UserInfo
  readonly transport?: Partial<ProxyTransportOptions>
}

export interface Front extends AsyncDisposable {
  /** URL of the server for clients of HTTP/1.1. */
  readonly url: string
  /** URL of the server for clients of HTTP/2 without TLS. */
  readonly http2Url: string
  readonly transport: ProxyTransport
  readonly target: ProxyTarget
  readonly metrics: MetricsRegistry
  readonly terminated: number[]
  readonly annotations: Record<string, string>
  /** Errors of exchanges whose response had begun or whose client was gone. */
  readonly errors: unknown[]
}

export const target: ProxyTarget = {
  name: 'v1beta1.metrics.k8s.io',
  service: { namespace: 'kube-system', name: 'metrics', port: 443 },
  insecureSkipTLSVerify: false,
  isAvailable: true,
}

/** Starts a server that forwards each request to the backend. */
export async function startFront(options: FrontOptions): Promise<Front> {
  const { certificates, getPort = () => undefined, user = { name: 'jane', groups: ['dev', 'system:authenticated'] } } = options
  const stop = new AbortController()
  const metrics = createMetricsRegistry()
  const terminated: number[] = []
  const annotations: Record<string, string> = {}
  const errors: unknown[] = []
  const transport = createProxyTransport({
    dialer: createDialer(),
    resolver: {
      resolve({ name }) {
        const backendPort = getPort()
        if (backendPort === undefined) throw new Error(`service ${JSON.stringify(name)} not found`)
        return { host: '127.0.0.1', port: backendPort }
      },
    },
    readCertificate: async () => certificates.frontProxy.client,
    stopping: stop.signal,
    metrics,
    onTerminated: (_exchange, code) => void terminated.push(code),
    ...options.transport,
  })
  const used = { ...target, caBundle: Buffer.from(certificates.authority), ...options.target }
  const serve = async (exchange: Exchange): Promise<void> => {
    exchange.requestId = 'audit-1'
    exchange.commonHeaders = ['Audit-Id', 'audit-1']
    exchange.user = exchange.requestor = user
    exchange.annotate = (key, value) => void (annotations[key] = value)
    exchange.interpret(parseRequestInfo(exchange.method, exchange.target, exchange.query), undefined)
    try {
      await transport.proxyRequest(exchange, used)
    } catch (error) {
      errors.push(error)
      writeError(exchange, error)
    }
    exchange.end()
  }
  const onRequest = (incoming: Incoming, outgoing: Outgoing): void => void serve(new Exchange(incoming, outgoing, {}))
  const plain = http.createServer(onRequest)
  plain.on('upgrade', (incoming: http.IncomingMessage, socket: Duplex, head: Buffer) => {
    const outgoing = new http.ServerResponse(incoming)
    outgoing.assignSocket(socket as Socket)
    void serve(new Exchange(incoming, outgoing, {}, { socket, head }))
  })
  const [first, second] = await Promise.all([listen(plain), listen(http2.createServer(onRequest as never))])
  return {
    url: `http://127.0.0.1:${first.port}`,
    http2Url: `http://127.0.0.1:${second.port}`,
    transport,
    target: used,
    metrics,
    terminated,
    annotations,
    errors,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      transport[Symbol.dispose]()
      await Promise.all([first, second].map((each) => each[Symbol.asyncDispose]()))
    },
  }
}

export interface Reply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly text: string
}

/** Sends a request with exactly these headers. */
export function send(url: string, options: http.RequestOptions = {}, body: string | Buffer = ''): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent: false, ...options }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          rawHeaders: response.rawHeaders,
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    request.on('error', reject)
    request.end(body)
  })
}
