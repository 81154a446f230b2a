import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import { createConnection } from 'node:net'
import { createServer } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { beforeAll, describe, expect, test } from 'vitest'
import { createCertificates, listen, send, startBackend, startFront } from './proxy.fixture.ts'
import type { Certificates, Listening, Protocol } from './proxy.fixture.ts'

const path = '/apis/metrics.k8s.io/v1beta1/nodes'
const megabyte = Buffer.alloc(1_000_000, 'x')
let certificates: Certificates
beforeAll(async () => {
  certificates = await createCertificates()
})

/** Starts a backend that gets the socket of each connection when the request has arrived. */
function startRawBackend(answer: (socket: TLSSocket) => void): Promise<Listening> {
  const { certificate: cert, key } = certificates.serving
  const server = createServer({ cert, key, ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.once('data', () => answer(socket))
  })
  return listen(server)
}

/** Writes without end, as long as the other side reads. */
function writeEndlessly(socket: Pick<TLSSocket, 'write' | 'on' | 'destroyed'>, chunk: Buffer, count: () => void = () => {}): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(chunk, count));
  }
  socket.on('drain', write)
  write()
}

async function askBackend(answer: (socket: TLSSocket) => void): Promise<string> {
  await using backend = await startRawBackend(answer)
  await using front = await startFront({ certificates, getPort: () => backend.port })
  const { status, text } = await send(`${front.url}${path}`)
  await expect.poll(() => backend.sockets.size).toBe(0)
  return `${status} ${text}`
}

test('a header without end is not read to its end', async () => {
  const text = await askBackend((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX-Endless: ')
    writeEndlessly(socket, megabyte)
  })
  expect(text).toBe('503 error trying to reach service: net/http: server response headers exceeded the limit; aborted\n')
})

test.each([
  ['hello, I am no server\r\n\r\n', 'net/http: HTTP/1.x transport connection broken: malformed HTTP response'],
  ['', 'EOF'],
  ['HTTP/1.1 200 OK\r\nContent-Le', 'EOF'],
  ['HTTP/1.1 099 What\r\nContent-Length: 0\r\n\r\n', 'malformed HTTP status code "99"'],
  ['HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n', 'EOF'],
  ['HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(6), 'net/http: too many 1xx informational responses'],
])('the answer %j is reported as broken', async (answer, reason) => {
  expect(await askBackend((socket) => socket.end(answer))).toBe(`503 error trying to reach service: ${reason}\n`)
})

test('two lengths, or a length and chunks, are not passed on', async () => {
  for (const headers of ['Content-Length: 1\r\nContent-Length: 2', 'Content-Length: 1\r\nTransfer-Encoding: chunked']) {
    expect(await askBackend((socket) => socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\nab`))).toMatch(/^503 .*malformed HTTP response\n$/)
  }
})

test('a trickled header ends with its client', async () => {
  await using backend = await startRawBackend((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('X-A: b\r\n'), 5)
    socket.on('close', () => clearInterval(timer))
  })
  await using front = await startFront({ certificates, getPort: () => backend.port })
  const request = http.get(`${front.url}${path}`, { agent: false }).on('error', () => {})
  await expect.poll(() => backend.sockets.size).toBeGreaterThan(0)
  request.destroy()
  await expect.poll(() => backend.sockets.size).toBe(0)
  await expect.poll(() => front.errors).toMatchObject([{ name: 'ClientGoneError' }])
})

describe.each<Protocol>(['h2', 'http/1.1'])('over %s', (protocol) => {
  // The socket buffers of the system hold some megabytes, and the window of an HTTP/2 session as much as its streams may send.
  const mostBuffered = 40

  test('a body without end waits for a client that does not read', { timeout: 120_000 }, async () => {
    let written = 0
    await using backend = await startBackend(certificates, protocol, (_request, response) => {
      writeEndlessly(response as unknown as TLSSocket, megabyte, () => written++)
    })
    await using front = await startFront({ certificates, getPort: () => backend.port })
    const request = http.get(`${front.url}${path}`, { agent: false }).on('error', () => {})
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    response.on('error', () => {}).pause()
    await expectSteady(() => written)
    expect(written).toBeLessThan(mostBuffered)
    request.destroy()
    await expect.poll(() => front.errors.length).toBe(1)
  })

  test('an upload without end waits for a backend that does not read', { timeout: 120_000 }, async () => {
    await using backend = await startBackend(certificates, protocol, (request) => void request.pause())
    await using front = await startFront({ certificates, getPort: () => backend.port })
    let written = 0
    const request = http.request(`${front.url}${path}`, { method: 'POST', agent: false }).on('error', () => {})
    writeEndlessly(request as unknown as TLSSocket, megabyte, () => written++)
    await expectSteady(() => written)
    expect(written).toBeLessThan(mostBuffered)
    for (const socket of backend.sockets) socket.destroy()
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    expect(response.statusCode).toBe(503)
    request.destroy()
  })

  test('many headers are passed on up to a limit', async () => {
    let count = 100
    await using backend = await startBackend(certificates, protocol, (_request, response) => {
      for (let i = 0; i < count; i++) response.setHeader(`x-many-${i}`, 'x'.repeat(100))
      response.end('ok')
    })
    await using front = await startFront({ certificates, getPort: () => backend.port })
    expect((await send(`${front.url}${path}`)).headers['x-many-99']).toHaveLength(100)
    count = 2000
    expect((await send(`${front.url}${path}`)).status).toBe(503)
    count = 1
    expect((await send(`${front.url}${path}`)).status).toBe(200)
  })
})

test('a client cannot smuggle a second request to the backend', async () => {
  const urls: string[] = []
  await using backend = await startBackend(certificates, 'http/1.1', (request, response) => {
    urls.push(request.url!)
    request.resume().on('end', () => response.end('ok'))
  })
  await using front = await startFront({ certificates, getPort: () => backend.port })
  const second = 'GET /apis/metrics.k8s.io/v1beta1/secrets HTTP/1.1\r\nHost: a\r\n\r\n'
  for (const headers of [
    `Content-Length: ${second.length + 5}\r\nTransfer-Encoding: chunked`,
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    'Transfer-Encoding: chunked\r\nConnection: transfer-encoding, content-length',
    'Connection: content-length\r\nContent-Length: 0',
  ]) {
    const socket = createConnection(Number(new URL(front.url).port), '127.0.0.1').on('error', () => {})
    socket.end(`POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n0\r\n\r\n`)
    await once(socket.resume(), 'close')
  }
  expect(new Set(urls)).toEqual(new Set([path]))
  const session = http2.connect(front.http2Url)
  const stream = session.request({ ':method': 'GET', ':path': `${path}?a=b%0d%0aHost:%20c;d&x=%zz` })
  stream.resume().end()
  await once(stream, 'close')
  session.close()
  expect(urls.at(-1)).toBe(path)
})

/** Waits until a number no longer grows. */
async function expectSteady(read: () => number): Promise<void> {
  let before = -1
  await expect
    .poll(
      () => {
        const isSteady = read() > 0 && read() === before
        before = read()
        return isSteady
      },
      { interval: 500, timeout: 60_000 },
    )
    .toBe(true)
}
