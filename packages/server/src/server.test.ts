import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import { Agent, request as httpsRequest } from 'node:https'
import { connect as connectTls } from 'node:tls'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import {
  createAnonymousAuthenticator,
  createAlwaysAllowPathsAuthorizer,
  createAuthenticatorUnion,
  createAuthorizerUnion,
  createBearerTokenAuthenticator,
} from '@keelson/auth'
import { createClientCertificateAuthenticator, createPrivilegedGroupsAuthorizer, createStaticTokens } from '@keelson/auth'
import { sendStream } from '@keelson/exchange'
import { getExchange, withExchange } from '@keelson/http-installer'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import type { OwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server, ServerOptions } from './create-server.ts'

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let certificates: OwnCertificates
let server: Server
let port: number
const errors: string[] = []
const aborted: string[] = []

const masters = { name: 'admin', groups: ['system:masters'] }
function start(options: Partial<ServerOptions> = {}): Server {
  const tokens = createStaticTokens([
    ['root', masters],
    ['alice', { name: 'alice', groups: ['dev'] }],
    ['worker', { name: 'worker', groups: ['allowed'] }],
  ])
  const newServer = createServer({
    authenticator: createAuthenticatorUnion([createClientCertificateAuthenticator(), createBearerTokenAuthenticator(tokens)], {
      anonymous: createAnonymousAuthenticator(),
    }),
    authorizer: createAuthorizerUnion(
      createPrivilegedGroupsAuthorizer('system:masters', 'allowed'),
      createAlwaysAllowPathsAuthorizer(['/healthz', '/livez', '/readyz']),
    ),
    tls: { certificate: certificates.serving.certificate, key: certificates.serving.key, clientAuthorities: [certificates.ca.certificate] },
    log: (level, text, fields) => level === 0 && errors.push(`${text}: ${String(fields?.['err'])}`),
    ...options,
  })
  newServer.app.get('/api/v1/whoami', (c) => {
    const { user, attributes, fieldManager } = getExchange(c)
    return c.json({ user, verb: attributes.verb, fieldManager })
  })
  newServer.app.get('/api/v1/warned', (c) => {
    getExchange(c).warn('old news')
    ;(c.env.outgoing as ServerResponse).end('ok')
    return RESPONSE_ALREADY_SENT
  })
  newServer.app.get('/api/v1/bug', () => {
    throw new Error('secret inside')
  })
  newServer.app.get('/api/v1/waits', async (c) => {
    const context = getExchange(c)
    const outgoing = c.env.outgoing as ServerResponse
    outgoing.flushHeaders()
    if (c.req.query('how') === 'looking') {
      aborted.push(String(context.aborted))
      await new Promise<void>((resolve) => outgoing.once('close', resolve))
      aborted.push(String(context.aborted))
    }
    const { signal } = context
    if (!signal.aborted) await once(signal, 'abort')
    aborted.push((signal.reason as Error).name)
    ;(c.env.outgoing as ServerResponse).end()
    return RESPONSE_ALREADY_SENT
  })
  newServer.app.get('/api/v1/slow', async (c) => {
    const { signal } = getExchange(c)
    if (!signal.aborted) await once(signal, 'abort')
    throw signal.reason as Error
  })
  newServer.app.get('/api/v1/hangs', () => new Promise<Response>(() => {}))
  newServer.app.get('/api/v1/watched', async (c) => {
    const outgoing = c.env.outgoing as ServerResponse
    outgoing.write('one\n')
    if (!newServer.stopping.aborted) await once(newServer.stopping, 'abort')
    outgoing.end('last\n')
    return RESPONSE_ALREADY_SENT
  })
  return newServer
}

beforeAll(async () => {
  certificates = await openOwnCertificates({ store: createMemoryCertificateStore() })
  server = start()
  port = (await server.listen(0, '127.0.0.1')).port
})
afterAll(() => server.close(0))

const agent = new Agent({ keepAlive: true })
function requestOverHttp1(path: string, token?: string, extra: object = {}, toPort = port): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), 'user-agent': 'tester/1.0 (linux)' }
    const request = httpsRequest(
      { host: '127.0.0.1', port: toPort, path, headers, agent, ca: certificates.ca.certificate, ...extra },
      (answer) => {
        let body = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => (body += chunk))
        answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body }))
        answer.on('error', reject)
      },
    )
    request.on('error', reject)
    request.end()
  })
}

function openSession(toPort = port): ClientHttp2Session {
  return connectHttp2(`https://127.0.0.1:${toPort}`, { ca: certificates.ca.certificate })
}
function requestOverHttp2(on: ClientHttp2Session, path: string, token?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = on.request({ ':path': path, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) })
    let body = ''
    let headers: IncomingHttpHeaders = {}
    let status = 0
    stream.on('response', (received) => {
      headers = received
      status = received[':status']!
    })
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => (body += chunk))
    stream.on('end', () => resolve({ status, headers, body }))
    stream.on('error', reject)
    stream.end()
  })
}

describe('a request', () => {
  test('a request has a user and an audit id, and its response is not cached', async () => {
    const answer = await requestOverHttp1('/api/v1/whoami', 'root')
    expect(JSON.parse(answer.body)).toEqual({
      user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
      verb: 'list',
      fieldManager: 'tester',
    })
    expect(answer.headers['cache-control']).toBe('no-cache, private')
    expect(answer.headers['audit-id']).toMatch(/^[\da-f-]{36}$/)
  })

  test('a request keeps the audit id that the client sent', async () => {
    const answer = await requestOverHttp1('/api/v1/whoami', 'root', { headers: { authorization: 'Bearer root', 'audit-id': 'mine' } })
    expect(answer.headers['audit-id']).toBe('mine')
  })

  test('a client certificate authenticates requests over HTTP/1.1 and HTTP/2', async () => {
    const { certificate: cert, key } = certificates.admin
    expect(JSON.parse((await requestOverHttp1('/api/v1/whoami', undefined, { cert, key, agent: false })).body)).toMatchObject({
      user: { name: 'kubernetes-admin' },
    })
    const h2 = connectHttp2(`https://127.0.0.1:${port}`, { ca: certificates.ca.certificate, cert, key })
    expect(JSON.parse((await requestOverHttp2(h2, '/api/v1/whoami')).body)).toMatchObject({ user: { name: 'kubernetes-admin' } })
    h2.close()
  })

  test('a certificate of another authority is answered 401', async () => {
    const foreign = await openOwnCertificates({ store: createMemoryCertificateStore() })
    const { certificate: cert, key } = foreign.admin
    expect((await requestOverHttp1('/api/v1/whoami', undefined, { cert, key, agent: false })).status).toBe(401)
  })

  test('a wrong token is answered 401, and a request without credentials 403', async () => {
    const unauthorized = await requestOverHttp1('/api/v1/whoami', 'nonsense')
    expect(unauthorized.status).toBe(401)
    expect(JSON.parse(unauthorized.body)).toMatchObject({ kind: 'Status', message: 'Unauthorized', reason: 'Unauthorized', code: 401 })
    expect(JSON.parse((await requestOverHttp1('/metrics', 'alice')).body)).toMatchObject({
      message: 'forbidden: User "alice" cannot get path "/metrics"',
      details: {},
      code: 403,
    })
    expect((await requestOverHttp1('/x')).body).toContain('User \\"system:anonymous\\" cannot get path \\"/x\\"')
  })

  test('sends the warnings of a request as headers', async () => {
    expect((await requestOverHttp1('/api/v1/warned', 'root')).headers['warning']).toBe('299 - "old news"')
  })

  test('a bug is answered 500 without details', async () => {
    const answer = await requestOverHttp1('/api/v1/bug', 'root')
    expect(answer.status).toBe(500)
    expect(answer.body).not.toContain('secret')
    expect(errors.join()).toContain('Error: secret inside')
  })

  test('an unknown path is answered 404', async () => {
    expect(await requestOverHttp1('/nothing', 'root')).toMatchObject({ status: 404, body: '404 page not found\n' })
  })

  test('serves many concurrent requests on an HTTP/2 connection', async () => {
    const h2 = openSession()
    const answers = await Promise.all(Array.from({ length: 50 }, () => requestOverHttp2(h2, '/api/v1/whoami', 'root')))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    h2.close()
  })

  test.each([
    ['http/1.1', ''],
    ['h2', ''],
    ['http/1.1', 'looking'],
    ['h2', 'looking'],
  ])('aborts a request when its client disconnects (%s, %s)', async (protocol, how) => {
    const oldCount = aborted.length
    const path = `/api/v1/waits?how=${how}`
    if (protocol === 'h2') {
      const h2 = openSession()
      const stream = h2.request({ ':path': path, authorization: 'Bearer root' })
      await once(stream, 'response')
      h2.destroy()
    } else {
      const request = httpsRequest({
        host: '127.0.0.1',
        port,
        path,
        headers: { authorization: 'Bearer root' },
        ca: certificates.ca.certificate,
      })
      request.end()
      await once(request, 'response')
      request.destroy()
    }
    await expect.poll(() => aborted.slice(oldCount)).toEqual([...(how === '' ? [] : ['false', 'true']), 'ClientGoneError'])
  })

  test('a request is answered 504 after the request timeout', async () => {
    const answer = await requestOverHttp1('/api/v1/slow?timeout=20ms', 'root')
    expect(answer.status).toBe(504)
    expect(JSON.parse(answer.body)).toMatchObject({
      message: 'Timeout: request did not complete within the allotted timeout',
      reason: 'Timeout',
    })
  })

  test('a request is not in flight after its timeout, even if its handler never ends', async () => {
    expect((await requestOverHttp1('/api/v1/hangs?timeout=20ms', 'root')).status).toBe(504)
    expect(server.metrics.text()).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 0')
  })

  test('an invalid timeout is answered 400', async () => {
    expect(JSON.parse((await requestOverHttp1('/api/v1/whoami?timeout=soon', 'root')).body)).toMatchObject({ code: 400 })
  })
})

describe('paths outside the API', () => {
  test('serves the health endpoints', async () => {
    expect(await requestOverHttp1('/livez')).toMatchObject({ status: 200, body: 'ok' })
    expect(await requestOverHttp1('/livez/ping')).toMatchObject({ status: 403 })
    expect(await requestOverHttp1('/livez/ping', 'root')).toMatchObject({ status: 200, body: 'ok' })
    expect(await requestOverHttp1('/livez/none', 'root')).toMatchObject({ status: 404 })
    expect((await requestOverHttp1('/readyz?verbose&exclude=ping&exclude=none')).body).toBe(
      '[+]ping excluded: ok\n[+]log ok\n[+]shutdown ok\nwarn: some health checks cannot be excluded: no matches for "none"\nreadyz check passed\n',
    )
  })

  test('hides the reason of a failing check', async () => {
    const testServer = start()
    testServer.addHealthCheck({
      name: 'etcd',
      check: () => {
        throw new Error('the disk is full')
      },
    })
    const { port: testPort } = await testServer.listen(0, '127.0.0.1')
    expect(await requestOverHttp1('/readyz', undefined, { agent: false }, testPort)).toMatchObject({
      status: 500,
      body: '[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\n[+]shutdown ok\nreadyz check failed\n',
    })
    expect((await requestOverHttp1('/readyz?exclude=etcd', undefined, { agent: false }, testPort)).status).toBe(200)
    await testServer.close(0)
  })

  test('serves the version, the list of paths, and metrics', async () => {
    expect(JSON.parse((await requestOverHttp1('/version', 'root')).body)).toMatchObject({ major: '1', minor: '36' })
    const yaml = await requestOverHttp1('/version', undefined, { headers: { authorization: 'Bearer root', accept: 'application/yaml' } })
    expect([yaml.status, yaml.body]).toEqual([406, expect.stringMatching(/^apiVersion: v1\ncode: 406\n/)])
    expect((await requestOverHttp1('/version', 'root', { method: 'POST' })).status).toBe(405)
    expect(JSON.parse((await requestOverHttp1('/version/nope', 'root')).body)).toMatchObject({ kind: 'Status', code: 404 })
    expect(JSON.parse((await requestOverHttp1('/', 'root')).body).paths).toContain('/readyz/ping')
    const metrics = (await requestOverHttp1('/metrics', 'root')).body
    expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(metrics).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1')
  })
})

test('answers 429 beyond the limit, except for administrators', async () => {
  const testServer = start({ limits: { readOnly: 1, mutating: 1 } })
  const { port: testPort } = await testServer.listen(0, '127.0.0.1')
  const busyClient = openSession(testPort)
  busyClient.request({ ':path': '/api/v1/slow', authorization: 'Bearer worker' }).on('error', () => {})
  await expect.poll(() => testServer.metrics.text()).toMatch(/inflight_requests\{request_kind="readOnly"\} 1/)
  const answer = await requestOverHttp1('/api/v1/whoami', 'worker', { agent: false }, testPort)
  expect(answer.headers['retry-after']).toBe('1')
  expect(answer.body).toBe('Too many requests, please try again later.\n')
  expect((await requestOverHttp1('/api/v1/whoami', 'root', { agent: false }, testPort)).status).toBe(200)
  for (const probe of ['/livez', '/readyz', '/healthz'])
    expect((await requestOverHttp1(probe, undefined, { agent: false }, testPort)).status).toBe(200)
  expect((await requestOverHttp1('/livez/ping', 'worker', { agent: false }, testPort)).status).toBe(429)
  busyClient.destroy()
  await testServer.close(0)
})

test('administrators and probes do not count against the limit', async () => {
  const testServer = start({ limits: { readOnly: 1, mutating: 1 } })
  const { port: testPort } = await testServer.listen(0, '127.0.0.1')
  const busyClient = openSession(testPort)
  for (let i = 0; i < 3; i++) busyClient.request({ ':path': '/api/v1/slow', authorization: 'Bearer root' }).on('error', () => {})
  await expect.poll(() => testServer.metrics.text()).toMatch(/inflight_requests\{request_kind="readOnly"\} 3/)
  expect((await requestOverHttp1('/api/v1/whoami', 'worker', { agent: false }, testPort)).status).toBe(200)
  busyClient.destroy()
  await testServer.close(0)
})

test('an unread response does not count against the limit, and completes when the client reads again', async () => {
  const testServer = start({ limits: { readOnly: 1, mutating: 1 } })
  const piece = Buffer.alloc(2 ** 20)
  const chunkCount = 16
  const stream = withExchange((exchange) =>
    sendStream(exchange, 200, {}, async (sink) => {
      for (let i = 0; i < chunkCount; i++) if (!sink.write(piece)) await sink.waitForDrain()
    }),
  )
  testServer.app.get('/api/v1/stream', stream)
  const { port: testPort } = await testServer.listen(0, '127.0.0.1')
  const slow = openSession(testPort).request({ ':path': '/api/v1/stream', authorization: 'Bearer worker' })
  await once(slow, 'response')
  await expect.poll(async () => (await requestOverHttp1('/api/v1/whoami', 'worker', { agent: false }, testPort)).status).toBe(200)
  expect(testServer.metrics.text()).toMatch(/inflight_requests\{request_kind="readOnly"\} 1/)
  let bytes = 0
  for await (const chunk of slow) bytes += (chunk as Buffer).length
  expect(bytes).toBe(chunkCount * piece.length)
  await expect.poll(() => testServer.metrics.text()).toMatch(/inflight_requests\{request_kind="readOnly"\} 0/)
  await testServer.close(0)
})

test('a shutdown ends watches without errors, completes requests in flight, and refuses new ones', async () => {
  const testServer = start()
  const { port: testPort } = await testServer.listen(0, '127.0.0.1')
  const h2 = openSession(testPort)
  const watches = [requestOverHttp1('/api/v1/watched', 'root', { agent: false }, testPort), requestOverHttp2(h2, '/api/v1/watched', 'root')]
  await expect.poll(() => testServer.metrics.text()).toMatch(/inflight_requests\{request_kind="readOnly"\} 2/)
  const closed = testServer.close(2000)
  expect((await Promise.all(watches)).map(({ body }) => body)).toEqual(['one\nlast\n', 'one\nlast\n'])
  await closed
  await expect(requestOverHttp1('/livez', undefined, { agent: false }, testPort)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('a shutdown waits until responses are read, and for connections without a request so far', async () => {
  const testServer = start()
  testServer.app.get('/api/v1/large', (c) => {
    ;(c.env.outgoing as ServerResponse).end(Buffer.alloc(8 * 2 ** 20, 'x'))
    return RESPONSE_ALREADY_SENT
  })
  const { port: testPort } = await testServer.listen(0, '127.0.0.1')
  const receivedBytes = new Promise<number>((resolve, reject) => {
    const headers = { authorization: 'Bearer root' }
    const request = httpsRequest({
      host: '127.0.0.1',
      port: testPort,
      path: '/api/v1/large',
      headers,
      agent,
      ca: certificates.ca.certificate,
    })
    request.on('error', reject)
    request.on('response', (answer) => {
      const newSocket = connectTls({ host: '127.0.0.1', port: testPort, ca: certificates.ca.certificate }, () => {
        const closed = testServer.close(5000)
        newSocket.write('GET /api/v1/whoami HTTP/1.1\r\nHost: a\r\n\r\n')
        newSocket.once('data', (data: Buffer) => {
          expect(data.toString()).toMatch(/^HTTP\/1.1 503 [\s\S]*Retry-After: 1/)
          let bytes = 0
          answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
          answer.on('error', reject)
          answer.on('end', () => void closed.then(() => resolve(bytes), reject))
        })
      })
      newSocket.on('error', reject)
    })
    request.end()
  })
  expect(await receivedBytes).toBe(8 * 2 ** 20)
})

test('logs every request with its user and audit id', async () => {
  const logLines: unknown[] = []
  const testServer = start({ logRequests: true, log: (level, text, fields) => void logLines.push([level, text, fields]) })
  const { port: testPort } = await testServer.listen(0, '127.0.0.1')
  const { headers } = await requestOverHttp1('/api/v1/whoami?a=b', 'alice', { agent: false }, testPort)
  await expect.poll(() => logLines).toHaveLength(1)
  expect(logLines[0]).toEqual([
    3,
    'HTTP',
    {
      verb: 'GET',
      URI: '/api/v1/whoami?a=b',
      latency: expect.stringMatching(/^\d+(\.\d{1,3})?(µs|ms)$/) as unknown,
      userAgent: 'tester/1.0 (linux)',
      'audit-ID': headers['audit-id'],
      srcIP: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as unknown,
      user: 'alice',
      resp: 403,
    },
  ])
  await testServer.close(0)
})

test('asks HTTP/2 clients to reconnect with the configured probability', async () => {
  const testServer = start({ goAwayChance: 1 })
  const { port: testPort } = await testServer.listen(0, '127.0.0.1')
  const h2 = openSession(testPort)
  const goaway = new Promise<number>((resolve) => h2.on('goaway', resolve))
  const answers = await Promise.all([requestOverHttp2(h2, '/api/v1/whoami', 'root'), requestOverHttp2(h2, '/api/v1/whoami', 'root')])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(await goaway).toBe(0)
  expect((await requestOverHttp1('/api/v1/whoami', 'root', { agent: false }, testPort)).status).toBe(200)
  await testServer.close(0)
})

test('takes one profile at a time if profiling is enabled', async () => {
  expect((await requestOverHttp1('/debug/pprof/', 'root')).status).toBe(404)
  const testServer = start({ profiling: true })
  const { port: testPort } = await testServer.listen(0, '127.0.0.1')
  const profile = requestOverHttp1('/debug/pprof/profile?seconds=0.2', 'root', { agent: false }, testPort)
  await expect
    .poll(async () => (await requestOverHttp1('/debug/pprof/heap?seconds=0.01', 'root', { agent: false }, testPort)).status)
    .toBe(500)
  expect((await profile).headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment; filename="profile"',
  })
  const runtime = await requestOverHttp1('/debug/pprof/heap?seconds=0.01&format=runtime', 'root', { agent: false }, testPort)
  expect(JSON.parse(runtime.body)).toHaveProperty('head')
  expect((await requestOverHttp1('/debug/pprof/', 'alice', { agent: false }, testPort)).status).toBe(403)
  await testServer.close(0)
})

test('unknown paths answer 503 until all paths have been installed', async () => {
  const testServer = start()
  const get = async () => {
    const answer = await testServer.fetch('/apis/example.com/v1/widgets', { user: masters })
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() }
  }
  const release = testServer.holdUnknownPaths()
  const heldAnswer = await get()
  expect(heldAnswer).toMatchObject({ status: 503, retryAfter: '5' })
  expect(JSON.parse(heldAnswer.text)).toMatchObject({
    message: 'the request has been made before all known HTTP paths have been installed, please try again',
    reason: 'ServiceUnavailable',
    details: { retryAfterSeconds: 5 },
  })
  release()
  expect(await get()).toEqual({ status: 404, retryAfter: null, text: '404 page not found\n' })
  await testServer.close(0)
})
