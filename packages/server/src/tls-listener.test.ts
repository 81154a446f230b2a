import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { Worker } from 'node:worker_threads'
import type { ServerResponse } from 'node:http'
import {
  createAuthenticatorUnion,
  createBearerTokenAuthenticator,
  createPrivilegedGroupsAuthorizer,
  createStaticTokens,
} from '@keelson/auth'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { afterEach, expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server } from './create-server.ts'

let server: Server | undefined
afterEach(() => server?.close(0))

/**
 * Starts a server that sends the received body back. It answers at the end of the event loop turn in which the body is complete, as a write
 * would.
 */
async function serve(): Promise<number> {
  const { serving } = await openOwnCertificates({ store: createMemoryCertificateStore() })
  const tokens = createStaticTokens([['root', { name: 'admin', groups: ['system:masters'] }]])
  server = createServer({
    authenticator: createAuthenticatorUnion([createBearerTokenAuthenticator(tokens)]),
    authorizer: createPrivilegedGroupsAuthorizer('system:masters'),
    tls: serving,
  })
  server.app.post('/api/v1/echo', async (c) => {
    const chunks: Buffer[] = []
    for await (const chunk of c.env.incoming!) chunks.push(chunk as Buffer)
    await new Promise((resolve) => setImmediate(resolve))
    const body = Buffer.concat(chunks)
    const outgoing = c.env.outgoing as ServerResponse
    outgoing.writeHead(200, { 'content-length': body.length })
    outgoing.end(body)
    return RESPONSE_ALREADY_SENT
  })
  return (await server.listen(0, '127.0.0.1')).port
}

/**
 * Source of a client that sends the next request as soon as it has the response. It sends the body in the same packet as the headers or,
 * like Python's client, in a separate packet. It runs in a worker thread, because in the server's thread the next request would always
 * arrive too late for the test.
 */
const client = `
const { connect } = require('node:tls')
const { parentPort, workerData: { port, connections, requests, size } } = require('node:worker_threads')
const head = 'POST /api/v1/echo HTTP/1.1\\r\\nHost: a\\r\\nAuthorization: Bearer root\\r\\nContent-Length: ' + size + '\\r\\n\\r\\n'
const body = 'x'.repeat(size)
let connected = 0
let total = 0
function next() {
  if (connected++ === connections) return parentPort.postMessage(total)
  const apart = connected % 2 === 0
  let answered = 0
  let text = ''
  const ask = () => {
    socket.write(apart ? head : head + body)
    if (apart) setImmediate(() => socket.write(body))
  }
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, ask)
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    const end = text.indexOf('\\r\\n\\r\\n')
    if (end < 0 || text.length < end + 4 + size) return
    text = text.slice(end + 4 + size)
    total++
    if (++answered === requests) socket.destroy()
    else ask()
  })
  socket.on('error', () => {})
  socket.on('close', next)
}
next()
`

test('serves large requests and responses one after the other on an HTTP/1.1 connection', async () => {
  const workerData = { port: await serve(), connections: 20, requests: 20, size: 150_000 }
  const worker = new Worker(client, { eval: true, workerData })
  try {
    expect(await once(worker, 'message')).toEqual([workerData.connections * workerData.requests])
  } finally {
    await worker.terminate()
  }
})

test('closes at once if an HTTP/2 connection completes its handshake after the shutdown has begun', async () => {
  const port = await serve()
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  // The server accepts the connection.
  await wait(100)
  const startTime = performance.now()
  const closed = server!.close(30_000)
  const secure = connectTls({ socket, ALPNProtocols: ['h2'], rejectUnauthorized: false })
  const session = connectHttp2(`https://127.0.0.1:${port}`, { createConnection: () => secure })
  session.on('error', () => {})
  const ended = once(session, 'close')
  await closed
  await ended
  expect(performance.now() - startTime).toBeLessThan(10_000)
}, 60_000)
