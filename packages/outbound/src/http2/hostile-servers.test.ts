import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createDialer } from '../dialer.ts'
import { createKeyPair } from '../test-server.fixture.ts'
import { createNumbersFrame } from './frames.ts'
import { createPayloadFrame, get, readStatus, repeat, startRawServer, type } from './raw-server.fixture.ts'

const createReset = (stream: number, code: number): Buffer => createNumbersFrame({ type: type.resetStream, flags: 0, stream }, code)
const createStatus = (stream: number, flags: number, status: string): Buffer =>
  createPayloadFrame(type.headers, flags, stream, `\x08\x03${status}`)

it.each([
  ['HEAD', '200'],
  ['GET', '204'],
  ['GET', '304'],
])('a reset right after the headers for %s %s ends one response, not the process', async (method, status) => {
  const uncaught: unknown[] = []
  const collect = (error: unknown): void => void uncaught.push(error)
  process.on('uncaughtException', collect)
  await using server = await startRawServer((socket, stream) => {
    socket.write(Buffer.concat([createStatus(stream, 4, status), createReset(stream, 2)]))
  })
  {
    using answer = await server.client.stream({ ...get, method })
    expect(answer.status).toBe(Number(status))
    answer.body.resume()
    await wait(20)
    expect(answer.isComplete).toBe(false)
  }
  process.off('uncaughtException', collect)
  expect(uncaught).toEqual([])
})

it('uploads many streams at once to a server with large windows', { timeout: 60_000 }, async () => {
  const pair = createKeyPair()
  const megabyte = 1024 * 1024
  const settings = { initialWindowSize: megabyte }
  const server = createSecureServer({ cert: pair.certificate, key: pair.key, settings }, (request, response) => {
    let size = 0
    request.on('data', (chunk: Buffer) => (size += chunk.length))
    request.on('end', () => response.end(String(size)))
  })
  server.on('session', (session) => session.setLocalWindowSize(megabyte))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createDialer().client({ url, tls: { authorities: pair.certificate } })
  // The settings of the server have arrived before the uploads begin.
  await client.request({ timeoutMs: 20_000 })
  const upload = async (): Promise<string> => {
    const body = Readable.from(Array.from({ length: 10 }, () => Buffer.alloc(16_384)))
    using answer = await client.stream({ ...get, method: 'POST', body })
    return (await answer.body.toArray()).join('')
  }
  const sizes = await Promise.all(Array.from({ length: 100 }, upload))
  expect(new Set(sizes)).toEqual(new Set(['163840']))
  client[Symbol.dispose]()
  server.close()
  await once(server, 'close')
})

it.each([
  ['100', 5, '1xx informational response with END_STREAM flag'],
  ['199', 5, '1xx informational response with END_STREAM flag'],
  ['099', 5, 'no valid status'],
  ['000', 4, 'no valid status'],
])('the status %s is not a response', async (status, flags, message) => {
  await using server = await startRawServer((socket, stream) => socket.write(createStatus(stream, flags, status)))
  await expect(server.client.stream(get)).rejects.toThrow(`http2: malformed response: ${message}`)
})

it('bounds the headers that a server sends to requests that have ended', async () => {
  let isFirst = true
  await using server = await startRawServer((socket, stream) => {
    const headers = createStatus(stream, 5, '200')
    socket.write(isFirst ? repeat(headers, 10_002) : headers)
    isFirst = false
  })
  expect(await readStatus(server.client)).toBe(200)
  await expect.poll(() => server.received.includes(type.goAway)).toBe(true)
  expect(await readStatus(server.client)).toBe(200)
  expect(server.connections()).toBe(2)
})
