import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import {
  createAnonymousAuthenticator,
  createAuthenticatorUnion,
  createBearerTokenAuthenticator,
  createPrivilegedGroupsAuthorizer,
  createStaticTokens,
} from '@keelson/auth'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import type { OwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server } from './create-server.ts'

const maxConnections = 10
const [firstAddress, secondAddress] = ['127.0.0.1', '127.0.0.2']

let certificates: OwnCertificates
beforeAll(async () => {
  certificates = await openOwnCertificates({ store: createMemoryCertificateStore() })
})

let server: Server
let port: number
let open: { destroy(): unknown }[]
beforeEach(async () => {
  open = []
  const tokens = createStaticTokens([['root', { name: 'admin', groups: ['system:masters'] }]])
  server = createServer({
    authenticator: createAuthenticatorUnion([createBearerTokenAuthenticator(tokens)], { anonymous: createAnonymousAuthenticator() }),
    authorizer: createPrivilegedGroupsAuthorizer('system:masters'),
    tls: certificates.serving,
    maxConnections,
  })
  port = (await server.listen(0, '0.0.0.0')).port
})
afterEach(async () => {
  for (const connection of open) connection.destroy()
  await server.close(0)
})

type Kind = 'tcp' | 'http/1.1' | 'h2'

/** Opens a connection and sends no request. If `kind` is not tcp, completes the TLS handshake. */
async function openSilent(kind: Kind, localAddress = firstAddress): Promise<Socket> {
  const options = { host: '127.0.0.1', port, localAddress }
  const socket = kind === 'tcp' ? connectTcp(options) : connectTls({ ...options, rejectUnauthorized: false, ALPNProtocols: [kind] })
  socket.on('error', () => {})
  open.push(socket)
  await once(socket, kind === 'tcp' ? 'connect' : 'secureConnect')
  return socket
}

async function requestStatus(socket: Socket, token?: string): Promise<string> {
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  socket.write(`GET /version HTTP/1.1\r\nHost: a\r\n${authorization}\r\n`)
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return chunk.toString().split(' ')[1]!
}

test.each<Kind>(['tcp', 'http/1.1', 'h2'])(
  'silent connections of %s do not block new clients or close authenticated connections',
  async (kind) => {
    const first = await openSilent('http/1.1')
    expect(await requestStatus(first, 'root')).toBe('200')
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
    open.push(session)
    const stream = session.request({ ':path': '/version', authorization: 'Bearer root' })
    expect((await once(stream.resume(), 'response'))[0]).toMatchObject({ ':status': 200 })

    for (let i = 0; i < maxConnections * 2; i++) await openSilent(kind)
    expect(await requestStatus(await openSilent('http/1.1'), 'root')).toBe('200')
    expect(await requestStatus(first, 'root')).toBe('200')
    expect(session.destroyed).toBe(false)
  },
)

test('closes an unauthenticated connection for a new one, even if it has sent a request', async () => {
  const unauthenticated: Socket[] = []
  for (let i = 0; i < maxConnections; i++) {
    const socket = await openSilent('http/1.1')
    expect(await requestStatus(socket)).toBe('403')
    unauthenticated.push(socket)
  }
  const closed = new Promise((resolve) => unauthenticated[0]!.once('close', resolve))
  expect(await requestStatus(await openSilent('http/1.1'), 'root')).toBe('200')
  await closed
  expect(await requestStatus(unauthenticated[1]!)).toBe('403')
})

test('closes connections of an address with more than its share first', async () => {
  const otherClient = await openSilent('http/1.1', secondAddress)
  for (let i = 0; i < maxConnections * 2; i++) await openSilent('http/1.1')
  expect(await requestStatus(otherClient, 'root')).toBe('200')
})

test('closes the new connection if all others are authenticated', async () => {
  for (let i = 0; i < maxConnections; i++) expect(await requestStatus(await openSilent('http/1.1'), 'root')).toBe('200')
  const newSocket = connectTcp({ host: '127.0.0.1', port })
  newSocket.on('error', () => {})
  await new Promise((resolve) => newSocket.once('close', resolve))
})
