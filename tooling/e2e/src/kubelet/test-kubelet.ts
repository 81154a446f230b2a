import https from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { servePortForwardInSpdy, servePortForwardInWebSocket } from './serve-port-forward.ts'
import { serveProcessInSpdy, serveProcessInWebSocket } from './serve-process.ts'

export interface TestKubeletOptions {
  /** Serving certificate in PEM format. */
  readonly certificate: string
  readonly key: string
  readonly authority: string
  readonly host?: string
  /** Command whose process attach connects to. */
  readonly attached?: readonly string[]
}

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Common name of the client certificate. Undefined if the certificate is not from the test's authority. */
  readonly client: string | undefined
}

export interface TestKubelet extends AsyncDisposable {
  readonly port: number
  readonly requests: readonly SeenRequest[]
  /** Returns the number of open connections. */
  readonly connections: () => number
  /** Appends a line to the log of every container and sends it to followers. */
  log(line: string): void
  /** Ends all streams of followed logs, as if the containers had exited. */
  endLogs(): void
}

/** Starts a minimal kubelet for API server tests. It serves logs, exec, attach, port-forward and a page. Processes run on this machine. */
export async function startTestKubelet(options: TestKubeletOptions): Promise<TestKubelet> {
  const { certificate, key, authority, host = '127.0.0.1', attached = ['cat'] } = options
  const requests: SeenRequest[] = []
  const lines: string[] = []
  const followers = new Set<ServerResponse>()
  const sockets = new Set<Duplex>()

  const recordRequest = (incoming: IncomingMessage): URL => {
    const socket = incoming.socket as TLSSocket
    const client = socket.authorized ? socket.getPeerCertificate().subject.CN : undefined
    requests.push({
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      client: client as string | undefined,
    })
    return new URL(incoming.url ?? '/', 'https://kubelet')
  }

  function serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const url = recordRequest(incoming)
    if (url.pathname.startsWith('/containerLogs/')) return serveLog(url, outgoing)
    if (url.pathname === '/healthz') return void outgoing.end('ok')
    if (url.pathname === '/logs/')
      return void outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<pre><a href="/logs/x">x</a></pre>')
    if (url.pathname === '/echo') return void incoming.pipe(outgoing.writeHead(201, { 'x-seen': incoming.method }))
    outgoing.writeHead(404).end('404 page not found\n')
  }

  function serveLog({ pathname, searchParams }: URL, outgoing: ServerResponse): void {
    if (pathname.endsWith('/waiting'))
      return void outgoing.writeHead(400).end('container "waiting" in pod "p" is waiting to start: ContainerCreating')
    const tail = searchParams.get('tailLines')
    const shown = tail === null ? lines : tail === '0' ? [] : lines.slice(-Number(tail))
    outgoing.writeHead(200, { 'content-type': 'text/plain' })
    outgoing.flushHeaders()
    for (const line of shown) outgoing.write(`${searchParams.get('timestamps') === 'true' ? '2026-01-01T00:00:00Z ' : ''}${line}\n`)
    if (searchParams.get('follow') !== 'true') return void outgoing.end()
    followers.add(outgoing)
    outgoing.once('close', () => followers.delete(outgoing))
  }

  const server = https.createServer({ cert: certificate, key, ca: authority, requestCert: true, rejectUnauthorized: false }, serve)
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { pathname, searchParams: query } = recordRequest(incoming)
    const [, verb, , , container] = pathname.split('/')
    if (container === 'refusing')
      return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\nConnection: close\r\n\r\nForbidden')
    if (verb === 'tell') return repeatAtEnd(socket, head)
    const websocket = incoming.headers.upgrade?.toLowerCase() === 'websocket'
    if (verb === 'portForward') {
      if (websocket) return servePortForwardInWebSocket(incoming, socket, query.getAll('port').map(Number))
      return servePortForwardInSpdy(socket, head)
    }
    const command = verb === 'attach' ? attached : query.getAll('command')
    const request = { incoming, socket, head, command, query }
    if (websocket) serveProcessInWebSocket(request)
    else serveProcessInSpdy(request)
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => sockets.size,
    log: (line) => {
      lines.push(line)
      for (const follower of followers) follower.write(`${line}\n`)
    },
    endLogs: () => {
      for (const follower of followers) follower.end()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Serves a test protocol that returns all input after the client has half closed the connection. */
function repeatAtEnd(socket: Duplex, head: Buffer): void {
  const heard = [head]
  socket.allowHalfOpen = true
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tell\r\n\r\n')
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => heard.push(chunk))
  socket.once('end', () => socket.end(`heard ${Buffer.concat(heard).toString()}`))
}
