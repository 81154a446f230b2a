import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttp2Server } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { createDialer } from '../../dialer.ts'
import type { StreamClient } from '../../dialer.ts'
import { createKeyPair, startTestServer } from '../../test-server.fixture.ts'
import { startKonnectivityServer } from '../../testing/konnectivity-server.ts'
import { createEgressSelector } from '../create-egress-selector.ts'
import { MessageReader } from './message-reader.ts'
import { decodePacket, encodePacket } from './packets.ts'
import type { Packet } from './packets.ts'

const directory = mkdtempSync(path.join(tmpdir(), 'keelson-konnectivity-'))
afterAll(() => rmSync(directory, { recursive: true }))
let count = 0
const createSocketPath = (): string => path.join(directory, String(count++))
const pair = createKeyPair()

async function createDial(socket: string) {
  const transport = { uds: { udsName: socket } }
  return (await createEgressSelector({ egressSelections: [{ name: 'cluster', connection: { proxyProtocol: 'GRPC', transport } }] })).dial
}

async function dialPort(socket: string, port: number, signal: AbortSignal = AbortSignal.timeout(20_000)): Promise<Duplex> {
  return (await createDial(socket))({ host: '127.0.0.1', port }, { network: 'cluster', signal })
}

async function withRemote(serve: (socket: Socket) => void, use: (port: number) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket.on('error', () => {}))
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await use((server.address() as AddressInfo).port)
  } finally {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

describe.each(['h2', 'http/1.1'] as const)('konnectivity carries requests over %s', (protocol) => {
  test('with and without TLS inside, and reuses connections', async () => {
    const socket = createSocketPath()
    await using server = await startTestServer(pair, protocol)
    await using proxy = await startKonnectivityServer({ socket, route: () => ({ host: '127.0.0.1', port: server.port }) })
    const url = 'https://hook.test.svc:443/'
    const target = { url, network: 'cluster', tls: { authorities: pair.certificate } } as const
    using client: StreamClient = createDialer({ dial: await createDial(socket) }).client(target)
    for (let i = 0; i < 5; i++) {
      const answer = await client.request({ method: 'POST', body: 'x'.repeat(100_000), headers: { 'x-one': 'one' }, timeoutMs: 20_000 })
      expect(answer).toMatchObject({ failed: false, status: 200, body: Buffer.from('one:100000') })
    }
    expect(proxy.addresses).toEqual(['hook.test.svc:443'])
    await expect.poll(() => proxy.openConnections).toBe(1)
    client[Symbol.dispose]()
    await expect.poll(() => proxy.openConnections).toBe(0)
  })
})

test('a plain HTTP connection through konnectivity is reused', async () => {
  const socket = createSocketPath()
  await using proxy = await startKonnectivityServer({ socket })
  const answer = (client: Socket): void => void client.on('data', () => client.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
  await withRemote(answer, async (port) => {
    using client = createDialer({ dial: await createDial(socket) }).client({ url: `http://127.0.0.1:${port}`, network: 'cluster' })
    for (let i = 0; i < 3; i++) expect(await client.request({ timeoutMs: 20_000 })).toMatchObject({ failed: false, status: 200 })
    expect(proxy.addresses).toHaveLength(1)
  })
})

test('packets have the encoding of upstream', () => {
  const data = encodePacket({ type: 'data', connectId: 1n, data: Buffer.from('ab') })
  expect(data.toString('hex')).toBe('000000000a0804220608011a026162')
  const closing = Buffer.from('08022a020801', 'hex')
  expect(decodePacket(closing)).toEqual({ type: 'closeRequest', connectId: 1n })
  // A random number of upstream's client has up to 63 bits.
  const dial: Packet = { type: 'dialRequest', protocol: 'tcp', address: 'a:1', random: 2n ** 63n - 1n }
  expect(decodePacket(encodePacket(dial).subarray(5))).toEqual(dial)
})

describe('a connection through konnectivity', () => {
  test('sends large amounts of data both ways, no faster than they are read', async () => {
    const socket = createSocketPath()
    await using _proxy = await startKonnectivityServer({ socket })
    const size = 20_000_000
    let written = 0
    const serve = (client: Socket): void => {
      client.once('data', () => {
        const block = Buffer.alloc(100_000, 'a')
        const send = (): void => {
          while (written < size) {
            written += block.length
            if (!client.write(block)) return void client.once('drain', send)
          }
          client.end()
        }
        send()
      })
    }
    await withRemote(serve, async (port) => {
      const connection = await dialPort(socket, port)
      connection.write('go')
      connection.once('readable', () => {})
      await new Promise((resolve) => setTimeout(resolve, 300))
      // Socket buffers and windows hold a part of the data. The reader has not started.
      expect(written).toBeLessThan(size)
      expect(await buffer(connection)).toHaveLength(size)
    })
    const received: Buffer[] = []
    const collect = (client: Socket): void => void client.on('data', (data: Buffer) => received.push(data))
    await withRemote(collect, async (port) => {
      const connection = await dialPort(socket, port)
      await new Promise((resolve) => connection.write(Buffer.alloc(5_000_000, 'b'), resolve))
      connection.end()
      connection.resume()
      await expect.poll(() => received.reduce((total, { length }) => total + length, 0), { timeout: 10_000 }).toBe(5_000_000)
    })
  })

  test('ends when the remote closes, and closes the remote when it ends or is destroyed', async () => {
    const socket = createSocketPath()
    await using proxy = await startKonnectivityServer({ socket })
    await withRemote(
      (client) => client.end('bye'),
      async (port) => {
        const connection = await dialPort(socket, port)
        expect((await buffer(connection)).toString()).toBe('bye')
      },
    )
    for (const close of [(connection: Duplex) => connection.end(), (connection: Duplex) => connection.destroy()]) {
      await withRemote(
        (client) => client.resume(),
        async (port) => {
          const connection = await dialPort(socket, port)
          const closed = new Promise((resolve) => connection.resume().once('close', resolve))
          expect(proxy.openConnections).toBe(1)
          close(connection)
          await closed
          await expect.poll(() => proxy.openConnections).toBe(0)
        },
      )
    }
  })

  test('breaks with the tunnel', async () => {
    const socket = createSocketPath()
    const proxy = await startKonnectivityServer({ socket })
    await withRemote(
      (client) => client.resume(),
      async (port) => {
        const connection = await dialPort(socket, port)
        const failed = new Promise<NodeJS.ErrnoException>((resolve) => connection.once('error', resolve))
        await proxy[Symbol.asyncDispose]()
        expect(await failed).toMatchObject({ code: 'ECONNRESET', message: 'tunnel closed' })
      },
    )
  })
})

describe('a dial through konnectivity fails', () => {
  test('if the destination refuses, is refused, or the proxy is down', async () => {
    const socket = createSocketPath()
    await using _proxy = await startKonnectivityServer({
      socket,
      route: (address) => (address === '127.0.0.1:1' ? { host: '127.0.0.1', port: 1 } : undefined),
    })
    await expect(dialPort(socket, 1)).rejects.toThrow('dial tcp 127.0.0.1:1: connect: connection refused')
    await expect(dialPort(socket, 2)).rejects.toThrow('no agent available')
    await expect(dialPort(createSocketPath(), 2)).rejects.toThrow(/^dial unix .*: connect: no such file or directory$/)
  })

  test('if the dial is aborted, and the proxy gets to know that', async () => {
    const packets: Packet[] = []
    await withFakeProxy(
      (packet) => void packets.push(packet),
      async (socket) => {
        await expect(dialPort(socket, 1, AbortSignal.timeout(200))).rejects.toThrow()
        await expect.poll(() => packets.map(({ type }) => type)).toEqual(['dialRequest', 'closeDial'])
      },
    )
  })

  type Answer = (packet: Packet & { readonly random: bigint }, stream: ServerHttp2Stream) => void
  const hostile: Readonly<Record<string, readonly [Answer, string]>> = {
    'closes the dial': [({ random }, stream) => stream.write(encodePacket({ type: 'closeDial', random })), 'dial closed'],
    'answers another dial': [
      (_packet, stream) => stream.write(encodePacket({ type: 'dialResponse', error: '', connectId: 1n, random: 1n })),
      'tunnel closed',
    ],
    'ends the stream': [(_packet, stream) => stream.end(), 'tunnel closed'],
    'sends garbage': [
      (_packet, stream) => stream.write(Buffer.from([0, 0, 0, 0, 2, 0x1a, 0x7f])),
      'tunnel closed: the message is truncated',
    ],
    'sends a message that is too large': [
      (_packet, stream) => stream.write(Buffer.from([0, 0xff, 0, 0, 0])),
      'tunnel closed: received message larger than max (4278190080 vs. 4194304)',
    ],
    'compresses its messages': [
      (_packet, stream) => stream.write(Buffer.from([1, 0, 0, 0, 0])),
      'tunnel closed: a compressed message was received',
    ],
  }
  test.each(Object.entries(hostile))('if the proxy %s', async (_name, [answer, message]) => {
    await withFakeProxy(answer, async (socket) => {
      await expect(dialPort(socket, 1)).rejects.toThrow(message)
    })
  })

  test('if the proxy does not speak HTTP/2', async () => {
    const socket = createSocketPath()
    const server = createServer(
      (client) =>
        void client
          .on('error', () => {})
          .resume()
          .end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    )
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    await expect(dialPort(socket, 1)).rejects.toThrow('connection error')
    await new Promise((resolve) => server.close(resolve))
  })
})

async function withFakeProxy(
  answer: (packet: Packet & { readonly random: bigint }, stream: ServerHttp2Stream) => void,
  use: (socket: string) => Promise<void>,
): Promise<void> {
  const socket = createSocketPath()
  const server = createHttp2Server()
  server.on('stream', (stream: ServerHttp2Stream) => {
    const reader = new MessageReader()
    stream.on('error', () => {})
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
    stream.on('data', (chunk: Buffer) => {
      for (const message of reader.read(chunk)) answer(decodePacket(message) as Packet & { random: bigint }, stream)
    })
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  try {
    await use(socket)
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}
