import { connect } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import {
  createAlwaysAllowPathsAuthorizer,
  createAuthenticatorUnion,
  createBearerTokenAuthenticator,
  createStaticTokens,
} from '@keelson/auth'
import { sendBytes } from '@keelson/exchange'
import { readBody, withExchange } from '@keelson/http-installer'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server } from './create-server.ts'

const mebibyte = 2 ** 20
let server: Server
let client: ClientHttp2Session
/** Number of request bodies that have been received completely. */
let completeBodies = 0
let release: () => void

beforeEach(async () => {
  const { certificate, key } = (await openOwnCertificates({ store: createMemoryCertificateStore() })).serving
  const tokens = createStaticTokens(['greedy', 'modest'].map((name) => [name, { name, groups: [] }] as const))
  server = createServer({
    authenticator: createAuthenticatorUnion([createBearerTokenAuthenticator(tokens)]),
    authorizer: createAlwaysAllowPathsAuthorizer(['/*']),
    tls: { certificate, key },
    maxBodyBytes: 4 * mebibyte,
  })
  completeBodies = 0
  const released = new Promise<void>((resolve) => (release = resolve))
  const holdBody = withExchange(async (exchange) => {
    const body = await readBody(exchange, 3 * mebibyte)
    completeBodies++
    await released
    sendBytes(exchange, 200, {}, String(body.length))
  })
  server.app.post('/kept', holdBody)
  const length = withExchange(async (exchange) => {
    sendBytes(exchange, 200, {}, String((await readBody(exchange, 3 * mebibyte)).length))
  })
  server.app.post('/body', length)
  const { port } = await server.listen(0, '127.0.0.1')
  client = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, maxSessionMemory: 1000 })
})
afterEach(async () => {
  client.destroy()
  await server.close(0)
})

function send(path: string, user: string, bytes: number, end = true): ClientHttp2Stream {
  const stream = client.request({ ':method': 'POST', ':path': path, authorization: `Bearer ${user}` }, { endStream: false })
  stream.on('error', () => {})
  if (end) stream.end(Buffer.alloc(bytes))
  else stream.write(Buffer.alloc(bytes))
  return stream
}

async function answerTo(stream: ClientHttp2Stream): Promise<string> {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk as string
  return text
}

test('limits the number of large bodies in memory, without delaying other requests, and serves all of them', async () => {
  const answers = Array.from({ length: 20 }, () => answerTo(send('/kept', 'greedy', mebibyte)))
  await expect.poll(() => completeBodies).toBeGreaterThanOrEqual(4)
  for (let i = 0; i < 5; i++) expect(await answerTo(send('/body', 'modest', mebibyte))).toBe(String(mebibyte))
  expect(await answerTo(send('/body', 'greedy', 1000))).toBe('1000')
  expect(completeBodies).toBeLessThanOrEqual(12)
  release()
  expect(await Promise.all(answers)).toEqual(answers.map(() => String(mebibyte)))
})

test('incomplete bodies delay no other user, and free their memory when the client disconnects', async () => {
  const halves = Array.from({ length: 10 }, () => send('/body', 'greedy', mebibyte, false))
  expect(await answerTo(send('/body', 'modest', 2 * mebibyte))).toBe(String(2 * mebibyte))
  const waitingAnswer = answerTo(send('/body', 'greedy', 2 * mebibyte))
  for (const half of halves) half.close(8)
  expect(await waitingAnswer).toBe(String(2 * mebibyte))
})

test('serves all waiting bodies, even if each of them is incomplete at first', async () => {
  const halves = Array.from({ length: 10 }, () => send('/body', 'greedy', mebibyte, false))
  const answers = halves.map((half) => answerTo(half.end(Buffer.alloc(mebibyte))))
  expect(await Promise.all(answers)).toEqual(answers.map(() => String(2 * mebibyte)))
})
