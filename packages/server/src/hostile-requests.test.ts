import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import type { ServerResponse } from 'node:http'
import { connect as connectTls } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { fourfold, measureProcessorTime } from '@keelson/apimachinery/testing'
import {
  createAlwaysAllowPathsAuthorizer,
  createAnonymousAuthenticator,
  createAuthenticatorUnion,
  createAuthorizerUnion,
  createBearerTokenAuthenticator,
  createPrivilegedGroupsAuthorizer,
  createStaticTokens,
} from '@keelson/auth'
import { getExchange } from '@keelson/http-installer'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as fc from 'fast-check'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import type { OwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server } from './create-server.ts'

let serving: OwnCertificates['serving']
let server: Server
let port: number
const bugs: string[] = []

beforeAll(async () => {
  serving = (await openOwnCertificates({ store: createMemoryCertificateStore() })).serving
  const tokens = createStaticTokens([
    ['root', { name: 'admin', groups: ['system:masters'] }],
    ['alice', { name: 'alice', groups: ['dev'] }],
  ])
  server = createServer({
    authenticator: createAuthenticatorUnion([createBearerTokenAuthenticator(tokens)], { anonymous: createAnonymousAuthenticator() }),
    authorizer: createAuthorizerUnion(
      createPrivilegedGroupsAuthorizer('system:masters', 'viewers'),
      createAlwaysAllowPathsAuthorizer(['/healthz', '/healthz/*', '/open/*']),
    ),
    tls: { certificate: serving.certificate, key: serving.key },
    log: (level, text) => level === 0 && bugs.push(text),
  })
  server.app.all('/api/*', (c) => {
    const { user, attributes } = getExchange(c)
    return c.json({ dispatched: c.req.path, decided: attributes.path, user })
  })
  port = (await server.listen(0, '127.0.0.1')).port
})
afterAll(() => server.close(0))

interface Answer {
  readonly status: number
  readonly body: string
}

/** Sends a request byte for byte that client libraries would refuse to send. */
async function sendRaw(target: string, headers = '', method = 'GET'): Promise<Answer> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false })
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(socket, 'close')
  const text = Buffer.concat(chunks).toString()
  return { status: Number(text.slice(9, 12)), body: text.slice(text.indexOf('\r\n\r\n') + 4) }
}

test.each([
  '/healthz/../api/v1/secrets',
  '/healthz/%2e%2e/api/v1/secrets',
  '/open/..%2fapi/v1/secrets',
  '/open/./../api/v1/secrets',
  '/api/v1/secrets#/healthz',
  'https://localhost/api/v1/secrets',
  'https://x@y/open/../api/v1/secrets',
  '//api/v1/secrets',
])('no spelling of %s gives an unauthenticated client access to the API', async (target) => {
  const { status, body } = await sendRaw(target)
  expect([403, 404]).toContain(status)
  expect(body).not.toContain('dispatched')
})

test('a request target with a host is handled like one without', async () => {
  expect(await sendRaw('https://elsewhere/healthz')).toEqual({ status: 200, body: 'ok' })
  expect(JSON.parse((await sendRaw('https://elsewhere/api/v1/pods?x', 'Authorization: Bearer root\r\n')).body)).toMatchObject({
    dispatched: '/api/v1/pods',
    decided: '/api/v1/pods',
  })
})

test('dispatches the path that was authorized', async () => {
  const piece = fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '%2F',
    '%25',
    '%41',
    '',
    'v1',
    'pods',
    'a',
    'watch',
    'namespaces',
    '#',
    ';x',
    '\\',
    '|',
    '~',
    '%20',
  )
  const client = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), fc.constantFrom('', '?', '?a=/../b', '??'), async (pieces, query) => {
      const stream = client.request({ ':path': `/api/v1/${pieces.join('/')}${query}`, authorization: 'Bearer root' })
      const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
      let body = ''
      for await (const chunk of stream.setEncoding('utf8')) body += chunk
      expect([200, 400, 404, 500]).toContain(headers[':status'])
      if (headers[':status'] !== 200) return
      const { dispatched, decided } = JSON.parse(body) as { dispatched: string; decided: string }
      expect(dispatched).toBe(decided)
    }),
    { numRuns: 200 },
  )
  client.close()
})

test('an impersonating request runs as the impersonated user, or not at all', async () => {
  const root = 'Authorization: Bearer root\r\n'
  const bob = await sendRaw('/api/v1/pods', `${root}Impersonate-User: bob\r\n`)
  expect([bob.status, bob.body]).toEqual([403, expect.stringContaining('User \\"bob\\" cannot list resource')])
  const viewer = await sendRaw('/api/v1/pods', `${root}Impersonate-User: bob\r\nImpersonate-Group: a,b\r\nImpersonate-Group: viewers\r\n`)
  expect(JSON.parse(viewer.body)).toMatchObject({ user: { name: 'bob', groups: ['a,b', 'viewers', 'system:authenticated'] } })
  const alice = await sendRaw(
    '/api/v1/pods',
    'Authorization: Bearer alice\r\nImpersonate-User: admin\r\nImpersonate-Group: system:masters\r\n',
  )
  expect([alice.status, alice.body]).toEqual([403, expect.stringContaining('User \\"alice\\" cannot impersonate-on:user-info:list')])
  expect((await sendRaw('/api/v1/pods', `${root}Impersonate-Group: viewers\r\n`)).status).toBe(400)
  expect((await sendRaw('/api/v1/pods', 'Impersonate-User: admin\r\n')).status).toBe(403)
})

test('reads a query of empty names in linear time, also without authentication', async () => {
  const sendNames = async (count: number): Promise<void> => {
    expect((await sendRaw(`/api/v1/pods?${'a&'.repeat(count)}`)).status).toBe(403)
  }
  const timeOfFew = await measureProcessorTime(() => sendNames(75_000))
  expect(await measureProcessorTime(() => sendNames(300_000))).toBeLessThan(fourfold * timeOfFew)
})

test('health endpoints answer every method, as in kube-apiserver', async () => {
  for (const method of ['POST', 'DELETE', 'OPTIONS']) expect(await sendRaw('/healthz', '', method)).toEqual({ status: 200, body: 'ok' })
  expect((await sendRaw('/healthz/%2570ing')).status).toBe(404)
  expect(bugs).toEqual([])
})

describe('a client that sends requests and reads no response', () => {
  const size = 4 * 1024 * 1024
  let slowServer: Server
  let slowPort: number
  let largeResponses = 0
  let closed: string[] = []
  beforeAll(async () => {
    slowServer = createServer({
      authenticator: createAnonymousAuthenticator(),
      authorizer: { authorize: () => ({ decision: 'allow', reason: '' }) },
      tls: serving,
      stallMs: 300,
    })
    slowServer.app.get('/api/v1/large', (c) => {
      largeResponses++
      const outgoing = c.env.outgoing as ServerResponse
      outgoing.once('close', () => closed.push('large'))
      outgoing.end(Buffer.alloc(size))
      return RESPONSE_ALREADY_SENT
    })
    slowServer.app.get('/api/v1/watch/:kind', async (c) => {
      const outgoing = c.env.outgoing as ServerResponse
      outgoing.write(c.req.param('kind') === 'quiet' ? 'event\n' : Buffer.alloc(size))
      await once(outgoing, 'close')
      closed.push(c.req.param('kind'))
      return RESPONSE_ALREADY_SENT
    })
    slowPort = (await slowServer.listen(0, '127.0.0.1')).port
  })
  afterAll(() => slowServer.close(0))

  const sendText = (text: string): TLSSocket => {
    const socket = connectTls({ host: '127.0.0.1', port: slowPort, rejectUnauthorized: false })
    socket.on('error', () => {})
    socket.write(text)
    return socket
  }
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

  test('a client that reads no response has at most one response in memory, for a limited time', async () => {
    const socket = sendText(get('/api/v1/large').repeat(50))
    socket.pause()
    await vi.waitFor(() => expect(largeResponses).toBe(1), { timeout: 60_000 })
    await vi.waitFor(() => expect(closed).toEqual(['large']), { timeout: 60_000 })
    expect(largeResponses).toBe(1)
    socket.destroy()
  })

  test('frees the response of a stream that the client has reset without an error', async () => {
    closed = []
    const client = connectHttp2(`https://127.0.0.1:${slowPort}`, { rejectUnauthorized: false })
    const stream = client.request({ ':path': '/api/v1/large' })
    await once(stream, 'response')
    stream.destroy()
    await vi.waitFor(() => expect(closed).toEqual(['large']), { timeout: 60_000 })
    client.destroy()
  })

  test('a client that reads later gets all responses in order', async () => {
    largeResponses = 0
    const socket = sendText(get('/version').repeat(20) + get('/api/v1/large') + get('/healthz'))
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
    await vi.waitFor(() => expect(text.endsWith('\r\n\r\nok')).toBe(true), { timeout: 60_000 })
    expect([text.match(/HTTP\/1\.1 200 OK/g)!.length, largeResponses]).toEqual([22, 1])
    socket.destroy()
  })

  test('ends a watch that is not read only if events wait for its client', async () => {
    const unreadWatch = sendText(get('/api/v1/watch/busy'))
    unreadWatch.pause()
    const quietWatch = sendText(get('/api/v1/watch/quiet'))
    quietWatch.resume()
    closed = []
    await vi.waitFor(() => expect(closed).toEqual(['busy']), { timeout: 60_000 })
    expect(quietWatch.closed).toBe(false)
    unreadWatch.destroy()
    quietWatch.destroy()
  })
})
