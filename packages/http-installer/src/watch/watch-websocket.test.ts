import http, { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { decodeUnknown } from '@keelson/api'
import { afterEach, expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'
import type { TestServer } from '../test-server.fixture.ts'

const maps = '/api/v1/namespaces/w/configmaps'

let server: TestServer
const sockets = new Set<Duplex>()
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await server[Symbol.asyncDispose]()
})

/** Opens an app that forwards upgrade requests, as `@keelson/server` does. */
async function open(options: Parameters<typeof openTestServer>[0] = {}): Promise<void> {
  server = await openTestServer(options)
  server.server.on('upgrade', (incoming, socket, head) => {
    sockets.add(socket)
    const outgoing = new ServerResponse(incoming)
    outgoing.assignSocket(socket as Socket)
    outgoing.shouldKeepAlive = false
    const request = new Request(server.base + incoming.url, { headers: incoming.headers as Record<string, string> })
    void server.app.fetch(request, { incoming, outgoing, upgrade: { socket, head } })
  })
}

interface Messages {
  next(): Promise<string | ArrayBuffer>
  readonly ended: Promise<number>
  readonly protocol: string
  close(): void
}

async function connect(path: string, protocols: readonly string[] = []): Promise<Messages> {
  const socket = new WebSocket(server.base.replace('http', 'ws') + path, { protocols: [...protocols], headers: { origin: server.base } })
  socket.binaryType = 'arraybuffer'
  const messages: (string | ArrayBuffer)[] = []
  const waiting: ((message: string | ArrayBuffer) => void)[] = []
  socket.addEventListener('message', ({ data }) => {
    const taker = waiting.shift()
    if (taker === undefined) messages.push(data)
    else taker(data)
  })
  const ended = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  return {
    ended,
    protocol: socket.protocol,
    next: () => new Promise((resolve) => (messages.length > 0 ? resolve(messages.shift()!) : waiting.push(resolve))),
    close: () => socket.close(),
  }
}

it('sends each event as its own message', async () => {
  await open()
  await server.request('POST', maps, { metadata: { name: 'a' } })
  const watch = await connect(`${maps}?watch=1`)
  const old = await connect(maps.replace('/v1/', '/v1/watch/'))
  expect(JSON.parse(String(await watch.next()))).toMatchObject({ type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'a' } } })
  await server.request('DELETE', `${maps}/a`)
  expect(JSON.parse(String(await watch.next()))).toMatchObject({ type: 'DELETED' })
  expect(JSON.parse(String(await old.next()))).toMatchObject({ type: 'ADDED' })
  watch.close()
  await watch.ended
})

it('a WebSocket watch ends after its timeout', async () => {
  await open()
  const watch = await connect(`${maps}?watch=1&timeoutSeconds=1`, ['base64url.bearer.authorization.k8s.io.dG9rZW4', 'of-a-browser'])
  expect(watch.protocol).toBe('of-a-browser')
  expect(await watch.ended).toBe(1000)
})

it('ends when the server stops, and ends the storage watch if the client disconnects', async () => {
  const stopServer = new AbortController()
  await open({ stopping: stopServer.signal })
  const [leavingClient, stayingClient] = [await connect(`${maps}?watch=1`), await connect(`${maps}?watch=1`)]
  leavingClient.close()
  await leavingClient.ended
  stopServer.abort()
  expect(await stayingClient.ended).toBe(1000)
  await expect.poll(() => new Promise((resolve) => server.server.getConnections((_, count) => resolve(count)))).toBe(0)
})

it('sends protobuf events without a length prefix', async () => {
  await open()
  await server.request('POST', maps, { metadata: { name: 'a' } })
  const request = http.get(`${server.base}${maps}?watch=1`, {
    headers: {
      accept: 'application/vnd.kubernetes.protobuf',
      connection: 'Upgrade',
      upgrade: 'websocket',
      origin: server.base,
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      'sec-websocket-version': '13',
    },
  })
  const [head, socket] = await new Promise<[Buffer, Socket]>((resolve) => request.on('upgrade', (_, on, first) => resolve([first, on])))
  const bytes = head.length > 0 ? head : await new Promise<Buffer>((resolve) => socket.once('data', resolve))
  expect(bytes[0]).toBe(0x82)
  const long = bytes[1] === 126
  const message = bytes.subarray(long ? 4 : 2)
  expect(message.length).toBe(long ? bytes.readUInt16BE(2) : bytes[1])
  // Field 1 of the message is the event type. Field 2 is the object; its field 1 is the envelope.
  expect(message.subarray(0, 7).toString('latin1')).toBe('\n\x05ADDED')
  const at = message.indexOf('k8s\0')
  expect(decodeUnknown(message.subarray(at)).gvk).toMatchObject({ kind: 'ConfigMap' })
  socket.destroy()
})

it('rejects an invalid handshake', async () => {
  await open()
  const answer = await server.request('GET', `${maps}?watch=1`, undefined, { connection: 'Upgrade', upgrade: 'websocket' })
  expect(answer.status).toBe(400)
  const handshake = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    'sec-websocket-version': '13',
  }
  for (const origin of [undefined, 'null']) {
    const headers = { ...handshake, ...(origin && { origin }) }
    expect((await server.request('GET', `${maps}?watch=1`, undefined, headers)).status).toBe(403)
  }
})
