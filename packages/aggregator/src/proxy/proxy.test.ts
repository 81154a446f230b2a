import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import { createConnection } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCertificates, send, startBackend, startFront } from './proxy.fixture.ts'
import type { BackendHandler, Certificates, Front, Listening, Protocol } from './proxy.fixture.ts'

const path = '/apis/metrics.k8s.io/v1beta1/nodes'
let certificates: Certificates

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly version: string
  readonly headers: http.IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly certificate: unknown
}
const receivedRequests: Seen[] = []

const handle: BackendHandler = (request, response) => {
  const { subject } = (request.socket as TLSSocket).getPeerCertificate?.() ?? {}
  const { method, url, headers, rawHeaders, httpVersion: version } = request
  receivedRequests.push({ method, url, version, headers, rawHeaders: [...rawHeaders], certificate: subject?.CN })
  switch (new URL(url ?? '/', 'http://backend').searchParams.get('do')) {
    case 'echo':
      return void request.pipe(response.writeHead(200, { 'x-answer': ['1', '2'], 'access-control-allow-origin': '*' }))
    case 'redirect':
      return void response.writeHead(302, { location: 'https://elsewhere.example.com/steal' }).end('moved')
    case 'local-redirect':
      return void response.writeHead(301, { location: '/apis/other' }).end()
    case 'html':
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<a href="/x">x</a>')
    case 'break':
      response.writeHead(200, { 'content-length': '1000' })
      return void response.write('part', () => request.socket.destroy())
    case 'events':
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.write('{"type":"ADDED"}\n')
    case 'hang':
      return
    default:
      response.writeHead(200, { 'content-type': 'application/json', 'audit-id': 'audit-1' }).end('{"kind":"NodeMetricsList"}')
  }
}

beforeAll(async () => {
  certificates = await createCertificates()
})

describe.each<Protocol>(['h2', 'http/1.1'])('a backend that speaks %s', (protocol) => {
  let backend: Listening
  let front: Front
  beforeAll(async () => {
    backend = await startBackend(certificates, protocol, handle)
    front = await startFront({ certificates, getPort: () => backend.port })
  })
  afterAll(async () => {
    await front[Symbol.asyncDispose]()
    await backend[Symbol.asyncDispose]()
  })

  test('gets the request with its user, over a connection with the front-proxy certificate', async () => {
    const reply = await send(`${front.url}${path}?limit=5&b=%2F`, { headers: { accept: 'application/json', 'user-agent': 'test' } })
    expect(reply).toMatchObject({ status: 200, text: '{"kind":"NodeMetricsList"}', headers: { 'content-type': 'application/json' } })
    // Both servers set the audit id, as behind kube-apiserver.
    expect(reply.headers['audit-id']).toBe('audit-1, audit-1')
    const request = receivedRequests.at(-1)!
    expect(request).toMatchObject({
      method: 'GET',
      url: `${path}?b=%2F&limit=5`,
      version: protocol === 'h2' ? '2.0' : '1.1',
      certificate: 'front-proxy-client',
      headers: {
        accept: 'application/json',
        'user-agent': 'test',
        'audit-id': 'audit-1',
        'x-remote-user': 'jane',
        'x-remote-group': 'dev, system:authenticated',
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-uri': path,
        'x-forwarded-host': `127.0.0.1:${backend.port}`,
        'x-forwarded-proto': 'https',
      },
    })
    expect(request.headers[':authority'] ?? request.headers.host).toBe(`127.0.0.1:${backend.port}`)
  })

  test('gets none of the identity and credentials that a client sends', async () => {
    await send(`${front.url}${path}`, {
      headers: {
        'X-Remote-User': 'system:admin',
        'x-remote-USER': 'root',
        'X-Remote-Uid': '0',
        'X-Remote-Group': ['system:masters', 'other'],
        'X-Remote-Extra-Scopes': 'all',
        'x-remote-extra-Acme.com%2fa': 'b',
        'Audit-ID': 'forged',
        'X-Forwarded-Host': 'forged',
        'X-Forwarded-Proto': 'forged',
        'X-Forwarded-Uri': 'forged',
        authorization: 'Bearer secret',
        'proxy-authorization': 'Basic secret',
        'impersonate-user': 'root',
        te: 'trailers',
        connection: 'keep-alive, x-remote-user, x-hop',
        'x-hop': '1',
        'x-kept': '1',
      },
    })
    const { headers } = receivedRequests.at(-1)!
    expect(headers).toMatchObject({
      'x-remote-user': 'jane',
      'x-remote-group': 'dev, system:authenticated',
      'audit-id': 'audit-1',
      'x-kept': '1',
    })
    expect(JSON.stringify(headers)).not.toMatch(/masters|root|secret|forged|scopes|acme|x-hop|trailers|remote-uid/i)
  })

  test('streams bodies in both directions', async () => {
    const big = Buffer.alloc(5_000_000, 'x')
    for (const headers of [{ 'content-length': String(big.length) }, { 'transfer-encoding': 'chunked' }]) {
      const reply = await send(`${front.url}${path}?do=echo`, { method: 'POST', headers }, big)
      expect([reply.status, reply.text.length, reply.headers['x-answer']]).toEqual([200, big.length, '1, 2'])
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
    }
    const session = http2.connect(front.http2Url)
    const stream = session.request({ ':method': 'PUT', ':path': `${path}?do=echo`, 'x-remote-user': 'root' })
    stream.end(big)
    let length = 0
    for await (const chunk of stream) length += (chunk as Buffer).length
    session.close()
    expect(length).toBe(big.length)
    expect(receivedRequests.at(-1)!.headers['x-remote-user']).toBe('jane')
  })

  test('gets a length of 0 for a write without a body, and the answer to HEAD has none', async () => {
    await send(`${front.url}${path}`, { method: 'POST' })
    expect(receivedRequests.at(-1)!.headers['content-length']).toBe('0')
    const reply = await send(`${front.url}${path}`, { method: 'HEAD' })
    expect([reply.status, reply.text]).toEqual([200, ''])
    expect(receivedRequests.at(-1)!.method).toBe('HEAD')
  })

  test('passes events on while the response continues, and ends with its client', async () => {
    const request = http.get(`${front.url}${path}?do=events&watch=1`, { agent: false })
    request.on('error', () => {})
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    response.on('error', () => {})
    const [chunk] = (await once(response, 'data')) as [Buffer]
    expect(chunk.toString()).toBe('{"type":"ADDED"}\n')
    request.destroy()
    await expect.poll(() => front.errors.length).toBe(1)
    expect(front.errors.splice(0)).toMatchObject([{ name: 'BrokenResponseError', cause: { name: 'ClientGoneError' } }])
  })

  test('is not followed to another place', async () => {
    for (const subject of ['redirect', 'local-redirect']) {
      const reply = await send(`${front.url}${path}?do=${subject}`)
      expect([reply.status, reply.text]).toEqual([502, 'the backend attempted to redirect this request, which is not permitted'])
      expect(reply.headers).not.toHaveProperty('location')
    }
  })

  test('sends links that go through this server', async () => {
    const { text } = await send(`${front.url}${path}?do=html`)
    expect(text).toBe(`<a href="https://127.0.0.1:${backend.port}/x">x</a>`)
  })

  test('breaks the response to the client if its own breaks', async () => {
    await expect(send(`${front.url}${path}?do=break`)).rejects.toThrow()
    await expect.poll(() => front.errors.length).toBe(1)
    expect(front.errors.splice(0)).toMatchObject([{ name: 'BrokenResponseError' }])
  })

  test('hangs at discovery for at most five seconds', { timeout: 20_000 }, async () => {
    const started = performance.now()
    const reply = await send(`${front.url}/apis/metrics.k8s.io/v1beta1?do=hang`)
    expect([reply.status, reply.text]).toEqual([503, 'error trying to reach service: context deadline exceeded\n'])
    expect(performance.now() - started).toBeGreaterThan(4900)
  })

  test('restarts without a failed read, and without a repeated write', async () => {
    const restarted = { port: backend.port }
    const writes: string[] = []
    const other = await startBackend(certificates, protocol, (request, response) => {
      if (request.method === 'POST') writes.push(request.url!)
      response.end('again')
    })
    const moving = await startFront({ certificates, getPort: () => restarted.port })
    await send(`${moving.url}${path}`)
    for (const socket of backend.sockets) socket.destroy()
    expect((await send(`${moving.url}${path}`)).status).toBe(200)
    restarted.port = other.port
    expect((await send(`${moving.url}${path}`, { method: 'POST' }, 'x')).text).toBe('again')
    expect(writes).toHaveLength(1)
    await moving[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
  })
})

describe('errors', () => {
  async function ask(options: Partial<Parameters<typeof startFront>[0]>, request: http.RequestOptions = {}) {
    await using front = await startFront({ certificates, ...options })
    const { status, text, headers } = await send(`${front.url}${path}`, request)
    return { status, text, type: headers['content-type'], sniff: headers['x-content-type-options'], terminated: front.terminated, front }
  }
  const plain = { type: 'text/plain; charset=utf-8', sniff: 'nosniff' }

  test('say that a service is unavailable, or has no address', async () => {
    const unavailable = { status: 503, text: 'service unavailable\n', terminated: [503], ...plain }
    expect(await ask({ target: { isAvailable: false } })).toMatchObject(unavailable)
    expect(await ask({})).toMatchObject(unavailable)
  })

  test('name the reason of a failed connection', async () => {
    const text = 'error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused\n'
    expect(await ask({ getPort: () => 1 })).toMatchObject({ status: 503, text, terminated: [], ...plain })
  })

  test('name CA certificates that cannot be read', async () => {
    const text = 'unable to load root certificates: unable to parse bytes as PEM block\n'
    expect(await ask({ getPort: () => 1, target: { caBundle: Buffer.from('none') } })).toMatchObject({ status: 500, text, ...plain })
  })

  test('name a certificate of another authority, and of another service', async () => {
    await using backend = await startBackend(certificates, 'h2', handle)
    const reachable = { getPort: () => backend.port }
    const prefix = 'error trying to reach service: tls: failed to verify certificate: x509: certificate'
    const other = Buffer.from(certificates.frontProxy.ca.certificate)
    expect((await ask({ ...reachable, target: { caBundle: other } })).text).toBe(`${prefix} signed by unknown authority\n`)
    const service = { namespace: 'default', name: 'other', port: 443 }
    expect((await ask({ ...reachable, target: { service } })).text).toMatch(/x509: certificate is valid for .*, not other\.default\.svc\n$/)
    expect((await ask({ ...reachable, target: { caBundle: other, insecureSkipTLSVerify: true } })).status).toBe(200)
  })

  test('name a user whose name no header can carry', async () => {
    await using backend = await startBackend(certificates, 'h2', handle)
    const user = { name: 'a\r\nX-Remote-Group: system:masters', groups: [] }
    const { status, text } = await ask({ getPort: () => backend.port, user })
    expect([status, text]).toEqual([503, 'error trying to reach service: net/http: invalid header field value for "X-Remote-User"\n'])
  })
})

test.each<Protocol>(['h2', 'http/1.1'])('user names, UIDs, groups and extra fields arrive as UTF-8 over %s', async (protocol) => {
  await using backend = await startBackend(certificates, protocol, handle)
  const user = {
    name: 'jürgen€',
    uid: 'u-1',
    groups: ['größe', 'a, b'],
    extra: { 'acme.com/scopes': ['read', 'wríte'], Case: ['1'], 'ä%': [''] },
  }
  await using front = await startFront({ certificates, getPort: () => backend.port, user })
  expect((await send(`${front.url}${path}`)).status).toBe(200)
  const { rawHeaders } = receivedRequests.at(-1)!
  const decode = (value: string): string => Buffer.from(value, 'latin1').toString()
  const remote = rawHeaders.flatMap((name, i) =>
    i % 2 === 0 && /^x-remote/i.test(name) ? [`${name.toLowerCase()}: ${decode(rawHeaders[i + 1]!)}`] : [],
  )
  expect(remote).toEqual([
    'x-remote-user: jürgen€',
    'x-remote-uid: u-1',
    'x-remote-group: größe',
    'x-remote-group: a, b',
    'x-remote-extra-acme.com%2fscopes: read',
    'x-remote-extra-acme.com%2fscopes: wríte',
    'x-remote-extra-case: 1',
    'x-remote-extra-%c3%a4%25: ',
  ])
})

test('a redirect is sent to the client if that is allowed', async () => {
  await using backend = await startBackend(certificates, 'h2', handle)
  await using front = await startFront({ certificates, getPort: () => backend.port, transport: { rejectRedirects: false } })
  const reply = await send(`${front.url}${path}?do=redirect`)
  expect([reply.status, reply.headers.location]).toEqual([302, 'https://elsewhere.example.com/steal'])
  expect((await send(`${front.url}${path}?do=local-redirect`)).headers.location).toBe(`https://127.0.0.1:${backend.port}/apis/other`)
})

test('a changed client certificate is used for new requests, and running ones continue', async () => {
  await using backend = await startBackend(certificates, 'h2', handle)
  let now = 0
  let pair = certificates.frontProxy.client
  const problems: string[] = []
  const clock = { now: () => now }
  const transport = { clock, readCertificate: async () => pair, onError: (text: string) => void problems.push(text) }
  await using front = await startFront({ certificates, getPort: () => backend.port, transport })
  const watch = http.get(`${front.url}${path}?do=events&watch=1`, { agent: false })
  const [response] = (await once(watch, 'response')) as [http.IncomingMessage]
  expect(backend.sockets.size).toBe(2)

  const changed = (await createCertificates()).frontProxy.client
  pair = { certificate: changed.certificate, key: pair.key }
  now = 10_000
  expect((await send(`${front.url}${path}`)).status).toBe(200)
  await expect.poll(() => problems.length).toBe(1)
  expect(problems[0]).toMatch(/^the client certificate for other API servers could not be read: .*key values mismatch/i)
  expect((await send(`${front.url}${path}`)).status).toBe(200)
  expect(receivedRequests.at(-1)!.certificate).toBe('front-proxy-client')

  pair = changed
  now = 20_000
  await expect.poll(async () => (await send(`${front.url}${path}`)).text).not.toContain('NodeMetricsList')
  expect(response.destroyed).toBe(false)
  watch.destroy()
})

describe('upgrades', () => {
  test.each([
    ['websocket', 'Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.c2VjcmV0, v4.channel.k8s.io\r\n'],
    ['SPDY/3.1', 'X-Stream-Protocol-Version: v4.channel.k8s.io\r\n'],
  ])('%s connections are passed on in both directions', async (protocol, header) => {
    await using backend = await startBackend(certificates, 'http/1.1', handle)
    let headers: http.IncomingHttpHeaders = {}
    backend.server.on('upgrade', (request: http.IncomingMessage, socket: TLSSocket, head: Buffer) => {
      headers = request.headers
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\nX-One: 1\r\n\r\nhello`)
      socket.write(head)
      socket.on('data', (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()))
    })
    await using front = await startFront({ certificates, getPort: () => backend.port })
    const socket = createConnection(Number(new URL(front.url).port), '127.0.0.1')
    socket.setEncoding('utf8')
    let text = ''
    socket.on('data', (chunk: string) => (text += chunk))
    socket.write(
      `GET ${path}?b=2&a=1 HTTP/1.1\r\nHost: front\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${header}` +
        'X-Remote-User: root\r\nX-Remote-Group: system:masters\r\nAuthorization: Bearer secret\r\n\r\n',
    )
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n[^]*X-One: 1\r\n\r\nhello$/)
    socket.write('ping')
    await expect.poll(() => text).toMatch(/helloPING$/)
    expect(headers).toMatchObject({ 'x-remote-user': 'jane', 'x-remote-group': 'dev, system:authenticated', upgrade: protocol })
    expect(JSON.stringify(headers)).not.toMatch(/root|masters|secret|c2VjcmV0/)
    socket.destroy()
    await expect.poll(() => backend.sockets.size).toBe(0)
  })

  test('fail with the reason, or with the refusal of the backend', async () => {
    await using backend = await startBackend(certificates, 'http/1.1', (request, response) => {
      response.writeHead(request.url!.includes('forbidden') ? 403 : 200).end('no')
    })
    let port = backend.port
    await using front = await startFront({ certificates, getPort: () => port })
    const upgrade = { headers: { connection: 'upgrade', upgrade: 'websocket' } }
    const ask = async (query: string) => {
      const { status, text } = await send(`${front.url}${path}?${query}`, upgrade)
      return [status, text]
    }
    expect(await ask('forbidden')).toEqual([403, 'no'])
    expect(await ask('')).toEqual([503, 'invalid upgrade response: status code 200\n'])
    port = 1
    expect(await ask('')).toEqual([503, 'error dialing backend: dial tcp 127.0.0.1:1: connect: connection refused\n'])
  })
})
