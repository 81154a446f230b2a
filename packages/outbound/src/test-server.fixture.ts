import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TLSSocket } from 'node:tls'

export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

/** Creates a self-signed certificate with its key. */
export function createKeyPair(names = 'IP:127.0.0.1,DNS:hook.test.svc'): KeyPair {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-outbound-'))
  const [crt, key] = [path.join(directory, 'crt'), path.join(directory, 'key')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=hook']
  execFileSync('openssl', [...request, ...(names === '' ? [] : ['-addext', `subjectAltName=${names}`]), '-keyout', key, '-out', crt], {
    stdio: 'ignore',
  })
  const pair = { certificate: readFileSync(crt, 'utf8'), key: readFileSync(key, 'utf8') }
  rmSync(directory, { recursive: true })
  return pair
}

/** Creates a certificate that an authority has signed. */
export function createSignedPair(): KeyPair {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-outbound-'))
  const resolveFile = (name: string): string => path.join(directory, name)
  const runOpenssl = (...args: readonly string[]): unknown => execFileSync('openssl', args, { stdio: 'ignore' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  runOpenssl(
    'req',
    '-x509',
    ...newKey,
    '-days',
    '2',
    '-subj',
    '/CN=authority',
    '-keyout',
    resolveFile('ca.key'),
    '-out',
    resolveFile('ca.crt'),
  )
  runOpenssl('req', ...newKey, '-subj', '/CN=hook', '-keyout', resolveFile('key'), '-out', resolveFile('csr'))
  writeFileSync(resolveFile('extensions'), 'subjectAltName=IP:127.0.0.1')
  const authority = [
    '-CA',
    resolveFile('ca.crt'),
    '-CAkey',
    resolveFile('ca.key'),
    '-CAcreateserial',
    '-extfile',
    resolveFile('extensions'),
  ]
  runOpenssl('x509', '-req', '-in', resolveFile('csr'), ...authority, '-days', '2', '-out', resolveFile('crt'))
  const pair = { certificate: readFileSync(resolveFile('crt'), 'utf8'), key: readFileSync(resolveFile('key'), 'utf8') }
  rmSync(directory, { recursive: true })
  return pair
}

export interface TestServer extends AsyncDisposable {
  readonly port: number
  readonly connections: number
  readonly requests: readonly { readonly path: string; readonly version: string; readonly certificate: string | undefined }[]
  /** Closes every connection without a GOAWAY or a response. */
  drop(): void
}

/** Starts an HTTP server whose response depends on the path. */
export async function startTestServer(pair: KeyPair, protocol: 'h2' | 'http/1.1', mutual = false): Promise<TestServer> {
  const sockets = new Set<Socket>()
  const requests: { path: string; version: string; certificate: string | undefined }[] = []
  let connections = 0
  const handleRequest = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    const certificate = (request.socket as TLSSocket).getPeerCertificate?.().subject?.CN
    requests.push({ path: request.url, version: request.httpVersion, certificate: certificate as string | undefined })
    const answers: Readonly<Record<string, () => void>> = {
      '/hang': () => {},
      '/trickle': () => void response.write('a'),
      '/reset': () => (protocol === 'h2' ? response.stream.close(2) : request.socket.destroy()),
      '/refuse': () => (requests.length === 1 ? response.stream.close(7) : response.end('at last')),
      '/big': () => response.end(Buffer.alloc(300_000)),
      '/redirect': () => {
        response.writeHead(302, { location: '/elsewhere' })
        response.end()
      },
      '/goodbye': () => {
        response.stream.session?.goaway()
        response.write('good')
        setImmediate(() => response.end('bye'))
      },
    }
    const answer = answers[request.url]
    if (answer !== undefined) return answer()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => response.end(`${request.headers['x-one'] as string}:${Buffer.concat(chunks).length}`))
  }
  const options = { cert: pair.certificate, key: pair.key, ...(mutual && { ca: pair.certificate, requestCert: true }) }
  const server: Server = protocol === 'h2' ? createSecureServer(options, handleRequest) : createServer(options, handleRequest as never)
  server.on('secureConnection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.on('sessionError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const drop = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    requests,
    drop,
    [Symbol.asyncDispose]: () => {
      drop()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
