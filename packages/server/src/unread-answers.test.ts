import { once } from 'node:events'
import { connect } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { createAuthenticatorUnion, createBearerTokenAuthenticator, createStaticTokens } from '@keelson/auth'
import { sendBytes, sendStream } from '@keelson/exchange'
import { withExchange } from '@keelson/http-installer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server } from './create-server.ts'

const size = 2 ** 20
let server: Server
let port: number
beforeAll(async () => {
  const { certificate, key } = (await openOwnCertificates({ store: createMemoryCertificateStore() })).serving
  const tokens = createStaticTokens([
    ['deaf', { name: 'deaf', groups: [] }],
    ['slow', { name: 'slow', groups: [] }],
  ])
  server = createServer({
    authenticator: createAuthenticatorUnion([createBearerTokenAuthenticator(tokens)]),
    authorizer: { authorize: () => ({ decision: 'allow', reason: '' }) },
    tls: { certificate, key },
    maxUnreadBytes: 8 * size,
  })
  const event = Buffer.alloc(size)
  const serve = (path: string, answer: Parameters<typeof withExchange>[0]): unknown => server.app.get(path, withExchange(answer))
  serve('/whole', (exchange) => sendBytes(exchange, 200, {}, Buffer.alloc(size)))
  serve('/pieces', (exchange) =>
    sendStream(exchange, 200, {}, async (sink) => {
      for (let i = 0; i < 2 && !sink.closed; i++) if (!sink.write(Buffer.alloc(size))) await sink.waitForDrain()
    }),
  )
  serve('/api/v1/things', (exchange) =>
    sendStream(exchange, 200, {}, async (sink) => {
      for (let i = 0; i < 2 && !sink.closed; i++) if (!sink.write(event)) await sink.waitForDrain()
    }),
  )
  serve('/unwaited', (exchange) => sendStream(exchange, 200, {}, async (sink) => void sink.write(Buffer.alloc(size))))
  port = (await server.listen(0, '127.0.0.1')).port
})
afterAll(() => server.close(0))

const open = (): ClientHttp2Session => connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })

async function openStream(session: ClientHttp2Session, path: string, user: string): Promise<ClientHttp2Stream> {
  const stream = session.request({ ':path': path, authorization: `Bearer ${user}` })
  stream.on('error', () => {})
  await once(stream, 'response')
  return stream
}

async function countBytes(stream: ClientHttp2Stream): Promise<number> {
  let bytes = 0
  for await (const chunk of stream) bytes += (chunk as Buffer).length
  return bytes
}

test.each(['/whole', '/unwaited', '/pieces'])(
  '%s: keeps only the latest responses to a user that does not read, and all responses to other users',
  async (path) => {
    const sessions = [open(), open()]
    const slow = await openStream(sessions[0]!, '/whole', 'slow')
    const unreadStreams: ClientHttp2Stream[] = []
    for (let i = 0; i < 20; i++) unreadStreams.push(await openStream(sessions[1]!, path, 'deaf'))
    await expect.poll(() => unreadStreams.filter((stream) => stream.destroyed).length).toBeGreaterThanOrEqual(10)
    expect(unreadStreams[0]!.destroyed).toBe(true)
    expect(unreadStreams.at(-1)!.destroyed).toBe(false)
    expect(await countBytes(slow)).toBe(size)
    expect(await countBytes(unreadStreams.at(-1)!)).toBe(path === '/pieces' ? 2 * size : size)
    for (const session of sessions) session.destroy()
  },
)

test('does not count watch events, because all watches share them', async () => {
  const session = open()
  const watches: ClientHttp2Stream[] = []
  for (let i = 0; i < 20; i++) watches.push(await openStream(session, '/api/v1/things?watch=1', 'slow'))
  expect(await Promise.all(watches.map(countBytes))).toEqual(watches.map(() => 2 * size))
  session.destroy()
})

test('does not count responses that are read', async () => {
  const session = open()
  for (let i = 0; i < 20; i++) expect(await countBytes(await openStream(session, '/pieces', 'slow'))).toBe(2 * size)
  session.destroy()
})
