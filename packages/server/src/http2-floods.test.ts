import { once } from 'node:events'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import {
  createAnonymousAuthenticator,
  createAuthenticatorUnion,
  createBearerTokenAuthenticator,
  createPrivilegedGroupsAuthorizer,
  createStaticTokens,
} from '@keelson/auth'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server } from './create-server.ts'

let server: Server
let port: number
let servedRequests = 0
beforeAll(async () => {
  const { serving } = await openOwnCertificates({ store: createMemoryCertificateStore() })
  const tokens = createStaticTokens([['root', { name: 'admin', groups: ['system:masters'] }]])
  const authenticator = createAuthenticatorUnion([createBearerTokenAuthenticator(tokens)], { anonymous: createAnonymousAuthenticator() })
  server = createServer({
    authenticator: {
      authenticate: (credentials) => {
        servedRequests++
        return authenticator.authenticate(credentials)
      },
    },
    authorizer: createPrivilegedGroupsAuthorizer('system:masters'),
    tls: serving,
  })
  port = (await server.listen(0, '127.0.0.1')).port
})
afterAll(() => server.close(0))
beforeEach(() => {
  servedRequests = 0
})

const frameType = { headers: 1, settings: 4, goaway: 7, windowUpdate: 8 }

function encodeFrame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Encodes the HTTP/2 frame of a GET request for "/" to host "a". Uses HPACK's static table, and sets END_STREAM and END_HEADERS. */
function get(stream: number, token?: string): Buffer {
  const authorization = token === undefined ? [] : [0x0f, 0x08, token.length, ...Buffer.from(token)]
  return encodeFrame(frameType.headers, 5, stream, Buffer.from([0x82, 0x87, 0x84, 0x01, 1, 0x61, ...authorization]))
}

async function openSocket(): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), encodeFrame(frameType.settings, 0, 0, Buffer.alloc(0))]))
  return socket
}

/** Counts the frames that a socket receives, by frame type. */
function countFrames(socket: TLSSocket): Map<number, number> {
  const counts = new Map<number, number>()
  let received = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
      counts.set(received[3]!, (counts.get(received[3]!) ?? 0) + 1)
      received = received.subarray(9 + received.readUIntBE(0, 3))
    }
  })
  return counts
}

test('sends an unauthenticated client one GOAWAY, however many requests it has sent', async () => {
  const socket = await openSocket()
  const counts = countFrames(socket)
  socket.write(Buffer.concat(Array.from({ length: 50 }, (_, i) => get(1 + 2 * i))))
  await new Promise((resolve) => socket.once('close', resolve))
  expect(counts.get(frameType.headers)).toBe(50)
  // The server sends two GOAWAY frames: the first announces the end, the second has the id of the last request. Older versions of Node send
  // the second one twice.
  expect(counts.get(frameType.goaway)).toBeLessThanOrEqual(3)
})

test('closes an unauthenticated connection that sends many frames other than requests', async () => {
  const update = encodeFrame(frameType.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1]))
  const flood = Buffer.concat(Array.from({ length: 10_000 }, () => update))
  const send = async (socket: TLSSocket, megabytes: number): Promise<void> => {
    for (let sentBytes = 0; sentBytes < megabytes << 20 && !socket.destroyed; sentBytes += flood.length) {
      if (!socket.write(flood)) await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
    }
  }
  const unauthenticated = await openSocket()
  const closed = new Promise((resolve) => unauthenticated.resume().once('close', resolve))
  await send(unauthenticated, 4)
  await closed

  const somebody = await openSocket()
  const counts = countFrames(somebody)
  somebody.write(get(1, 'Bearer root'))
  await expect.poll(() => counts.get(frameType.headers), { interval: 1 }).toBe(1)
  await send(somebody, 4)
  somebody.write(get(3, 'Bearer root'))
  await expect.poll(() => servedRequests, { interval: 1 }).toBe(2)
  somebody.destroy()
})
