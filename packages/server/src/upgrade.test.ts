import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import {
  createAuthenticatorUnion,
  createBearerTokenAuthenticator,
  createPrivilegedGroupsAuthorizer,
  createStaticTokens,
} from '@keelson/auth'
import { getExchange } from '@keelson/http-installer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server } from './create-server.ts'

let server: Server
let port: number
const bugs: string[] = []

beforeAll(async () => {
  const { serving } = await openOwnCertificates({ store: createMemoryCertificateStore() })
  const tokens = createStaticTokens([
    ['root', { name: 'admin', groups: ['system:masters'] }],
    ['alice', { name: 'alice', groups: ['dev'] }],
  ])
  server = createServer({
    authenticator: createAuthenticatorUnion([createBearerTokenAuthenticator(tokens)]),
    authorizer: createPrivilegedGroupsAuthorizer('system:masters'),
    tls: serving,
    log: (level, text) => level === 0 && bugs.push(text),
  })
  const path = '/api/v1/namespaces/default/pods/p/exec'
  server.app.all(path, async (c) => {
    const { upgrade, outgoing } = c.env
    if (upgrade === undefined) return c.text('no upgrade')
    const { socket, head } = upgrade
    const response = outgoing as ServerResponse
    response.writeHead(101, { Connection: 'Upgrade', Upgrade: 'echo' })
    response.flushHeaders()
    response.detachSocket(socket as never)
    socket.write(`${getExchange(c).user.name} said ${head.toString()}`)
    socket.pipe(socket)
    await once(socket, 'close')
    return RESPONSE_ALREADY_SENT
  })
  server.app.all('/api/v1/slow', async (c) => {
    await once(c.env.outgoing!, 'close')
    return RESPONSE_ALREADY_SENT
  })
  port = (await server.listen(0, '127.0.0.1')).port
})
afterAll(async () => {
  await server.close(0)
  expect(bugs).toEqual([])
})

const exec = '/api/v1/namespaces/default/pods/p/exec'
const upgradeHeaders = 'Connection: Upgrade\r\nUpgrade: echo\r\n'

function open(text: string): TLSSocket {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  socket.on('error', () => {})
  socket.write(text)
  return socket
}

function request(path: string, { token = 'root', method = 'GET', headers = upgradeHeaders, body = '' } = {}): string {
  return `${method} ${path} HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n${body}`
}

async function readUntilClosed(socket: TLSSocket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(socket, 'close')
  return text
}

test('passes the connection and the bytes after the request to the handler', async () => {
  const socket = open(request(exec, { body: 'hello' }))
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await expect.poll(() => text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n[^]*\r\n\r\nadmin said hello$/)
  socket.write(' again')
  await expect.poll(() => text).toMatch(/hello again$/)
  socket.destroy()
})

test('authenticates and authorizes upgrade requests', async () => {
  const unauthenticated = await readUntilClosed(open(request(exec, { token: 'wrong' })))
  expect(unauthenticated).toMatch(/^HTTP\/1\.1 401 /)
  const alice = await readUntilClosed(open(request(exec, { token: 'alice' })))
  expect(alice).toMatch(/^HTTP\/1\.1 403 [^]*User \\"alice\\" cannot get resource \\"pods\/exec\\"/)
  expect(alice).toMatch(/\r\nconnection: close\r\n/i)
  const impersonated = await readUntilClosed(open(request(exec, { headers: `${upgradeHeaders}Impersonate-User: alice\r\n` })))
  expect(impersonated).toMatch(/^HTTP\/1\.1 403 /)
})

test('serves CONNECT like any other request, as the last one of its connection', async () => {
  const connectTo = (token: string): Promise<string> =>
    readUntilClosed(open(request('example.com:80', { method: 'CONNECT', token, headers: '' })))
  expect(await connectTo('root')).toMatch(/^HTTP\/1\.1 404 [^]*404 page not found/)
  expect(await connectTo('alice')).toMatch(/^HTTP\/1\.1 403 /)
  expect(await connectTo('wrong')).toMatch(/^HTTP\/1\.1 401 /)
})

test('a TLS 1.2 connection cannot be renegotiated', async () => {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, maxVersion: 'TLSv1.2' })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  const outcome = await new Promise((resolve) => {
    socket.once('close', () => resolve('refused'))
    socket.renegotiate({ rejectUnauthorized: false }, (error) => resolve(error === null ? 'renegotiated' : 'refused'))
  })
  expect(outcome).toBe('refused')
  socket.destroy()
})

test('a path that does not support upgrades ignores the upgrade headers', async () => {
  expect(await readUntilClosed(open(request('/version')))).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"gitVersion"/)
  expect(
    await readUntilClosed(
      open(request('/version', { headers: 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n' })),
    ),
  ).toMatch(/^HTTP\/1\.1 200 /)
})

test('an upgrade request that is pipelined behind another request does not get the connection', async () => {
  const text = await readUntilClosed(open(request('/api/v1/slow', { headers: '' }) + request(exec)))
  expect(text).toBe('')
})
