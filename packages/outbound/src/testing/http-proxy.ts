import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { pipeline } from 'node:stream'
import type { Duplex } from 'node:stream'
import type { Destination } from '../failure.ts'

/** Returns where a proxy connects to for a requested address, "host:port". Undefined: the proxy refuses the request. */
export type Route = (address: string) => Destination | undefined

export interface HttpProxyOptions {
  /** Path of the Unix socket to listen on. Default: a port of 127.0.0.1. */
  readonly socket?: string
  /** Default: a free port. */
  readonly port?: number
  /** Certificate of the proxy, and the CA of the client certificates that it requires, in PEM. Default: no TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string; readonly clientAuthorities: string }
  /** Default: connects to the requested address. */
  readonly route?: Route
}

export interface HttpProxy extends AsyncDisposable {
  /** Port of the proxy; 0 for a Unix socket. */
  readonly port: number
  /** Addresses that clients requested, in order. */
  readonly addresses: readonly string[]
}

/** Starts an HTTP proxy that supports CONNECT only. For tests. Disposing it closes all tunnels. */
export async function startHttpProxy({ socket: path, port = 0, tls, route = parseAddress }: HttpProxyOptions = {}): Promise<HttpProxy> {
  const addresses: string[] = []
  const sockets = new Set<Duplex>()
  const server: Server =
    tls === undefined
      ? createServer()
      : createSecureServer({ cert: tls.certificate, key: tls.key, ca: tls.clientAuthorities, requestCert: true })
  const track = (socket: Duplex): void => {
    sockets.add(socket.on('error', () => {}))
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', track)
  server.on('connect', ({ url = '' }: { readonly url?: string }, client: Socket) => {
    addresses.push(url)
    const destination = route(url)
    if (destination === undefined) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const remote = connect(destination)
    track(remote)
    remote.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    remote.once('connect', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      pipeline(client, remote, client, () => {})
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (path === undefined) server.listen(port, '127.0.0.1', resolve)
    else server.listen(path, resolve)
  })
  return {
    port: path === undefined ? (server.address() as AddressInfo).port : 0,
    addresses,
    [Symbol.asyncDispose]: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Splits "host:port". */
export function parseAddress(address: string): Destination {
  const colon = address.lastIndexOf(':')
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) }
}
