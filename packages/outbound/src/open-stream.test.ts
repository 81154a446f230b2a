import { createSecureServer } from 'node:http2'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { createDialer } from './dialer.ts'
import type { StreamClient } from './dialer.ts'
import { createKeyPair } from './test-server.fixture.ts'

const pair = createKeyPair()
const { signal } = new AbortController()

type Serve = (request: IncomingMessage, response: ServerResponse) => void

interface OpenServer extends AsyncDisposable {
  readonly client: StreamClient
  readonly sockets: ReadonlySet<Socket>
}

async function open(protocol: 'h2' | 'http/1.1', serve: Serve): Promise<OpenServer> {
  const tls = { cert: pair.certificate, key: pair.key, allowHTTP1: true }
  const listener = serve as unknown as (request: Http2ServerRequest, response: Http2ServerResponse) => void
  const server: Server = protocol === 'h2' ? createSecureServer(tls, listener) : createServer(tls, serve)
  const sockets = new Set<Socket>()
  server.on('secureConnection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
  server.on('sessionError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createDialer().client({ url, tls: { authorities: pair.certificate } })
  return {
    client,
    sockets,
    [Symbol.asyncDispose]: () => {
      client[Symbol.dispose]()
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

const get = { method: 'GET', path: '/', headers: [], signal }

describe.each(['h2', 'http/1.1'] as const)('a stream over %s', (protocol) => {
  test('sends and receives bodies in parts', async () => {
    await using server = await open(protocol, (request, response) => {
      response.setHeader('set-cookie', ['a', 'b'])
      request.pipe(response)
    })
    let continueBody = (): void => {}
    const body = Readable.from(
      (async function* () {
        yield 'first '
        await new Promise<void>((resolve) => (continueBody = resolve))
        yield 'last'
      })(),
    )
    const answer = await server.client.stream({ ...get, method: 'POST', headers: ['x-a', '1', 'x-a', '2'], body })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([200, ['a', 'b']])
    expect(answer.rawHeaders.filter((name) => name === 'set-cookie')).toHaveLength(2)
    continueBody()
    expect(await text(answer.body)).toBe('first last')
    expect(answer.isComplete).toBe(true)
  })

  test('is not complete if the connection breaks', async () => {
    await using server = await open(protocol, (_request, response) => {
      response.write('part')
      setTimeout(() => server.sockets.forEach((socket) => socket.destroy()), 20)
    })
    const answer = await server.client.stream(get)
    const closed = new Promise((resolve) => answer.body.on('error', () => {}).once('close', resolve))
    answer.body.resume()
    await closed
    expect(answer.isComplete).toBe(false)
  })

  test.runIf(protocol === 'h2')('is not complete if the server resets it without an error', async () => {
    await using server = await open(protocol, (_request, response) => {
      const { stream } = response as unknown as Http2ServerResponse
      response.write('part', () => stream.close(0))
    })
    const answer = await server.client.stream(get)
    expect(await text(answer.body)).toBe('part')
    expect(answer.isComplete).toBe(false)
  })

  test('is aborted by its signal, before and after the response has begun', async () => {
    await using server = await open(protocol, ({ url }, response) => void (url === '/begun' && response.write('a')))
    for (const path of ['/hanging', '/begun']) {
      const controller = new AbortController()
      const answer = server.client.stream({ ...get, path, signal: controller.signal })
      if (path === '/begun') {
        const { body } = await answer
        controller.abort()
        await new Promise((resolve) => body.on('error', () => {}).once('close', resolve))
      } else {
        controller.abort()
        await expect(answer).rejects.toMatchObject({ kind: 'canceled' })
      }
    }
  })

  test('fails if the server sends informational responses without end', async () => {
    await using server = await open(protocol, (_request, response) => {
      const timer = setInterval(() => {
        try {
          response.writeEarlyHints({ link: '</a>' })
        } catch {
          // Node 22 throws if the client has closed the stream.
          clearInterval(timer)
        }
      }, 1)
      response.on('close', () => clearInterval(timer))
    })
    await expect(server.client.stream(get)).rejects.toMatchObject({ message: 'net/http: too many 1xx informational responses' })
  })

  test('repeats a safe request on a closed connection, but no other', async () => {
    let isDropping = false
    let count = 0
    await using server = await open(protocol, (request, response) => {
      count++
      if (isDropping) server.sockets.forEach((socket) => socket.destroy())
      else request.resume().on('end', () => response.end('ok'))
      isDropping = false
    })
    const send = async (method: string, body?: Readable): Promise<string> => {
      const answer = await server.client.stream({ ...get, method, body })
      return text(answer.body)
    }
    expect(await send('GET')).toBe('ok')
    isDropping = true
    expect(await send('GET')).toBe('ok')
    isDropping = true
    await expect(send('DELETE')).rejects.toMatchObject({ kind: expect.stringMatching(/closed|reset/) })
    expect(await send('GET')).toBe('ok')
    isDropping = true
    await expect(send('PUT', Readable.from(['x']))).rejects.toMatchObject({ kind: expect.stringMatching(/closed|reset/) })
    expect(count).toBe(6)
  })

  test('a connection of its own speaks HTTP/1.1', async () => {
    await using server = await open(protocol, () => {})
    const socket: Duplex = await server.client.connect(signal)
    socket.write('nonsense\r\n\r\n')
    expect(await text(socket)).toContain('400 Bad Request')
    await expect(server.client.connect(AbortSignal.abort())).rejects.toMatchObject({ kind: 'canceled' })
  })
})
