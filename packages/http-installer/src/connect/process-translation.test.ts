import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { constants, inflateSync } from 'node:zlib'
import {
  encodeSpdyControl,
  encodeSpdyDataHead,
  spdyDictionary,
  spdyFrame,
  SpdyFrameReader,
  WebSocketFrameReader,
  encodeWebSocketHead,
  websocketOpcode,
} from '@keelson/apimachinery/httpstream'
import type { ProcessStreams } from '@keelson/registry'
import { afterEach, expect, test } from 'vitest'
import { ProcessTranslation } from './process-translation.ts'

const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

async function connectPair(): Promise<{ readonly near: Socket; readonly far: Socket }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const acceptedSocket = new Promise<Socket>((resolve) => server.once('connection', resolve))
  const clientSocket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const serverSocket = await acceptedSocket
  closers.push(() => (server.close(), serverSocket.destroy(), clientSocket.destroy()))
  clientSocket.on('error', () => {})
  return { near: serverSocket, far: clientSocket }
}

/** Connects a client and a fake kubelet through a translation. Records the data that each of them receives. */
async function translate(expectedStreams: Partial<ProcessStreams>) {
  const [client, remote] = await Promise.all([connectPair(), connectPair()])
  const toClient: string[] = []
  const toRemote: string[] = []
  let headers = Buffer.alloc(0)
  const streams = new Map<number, string>()
  const messages = new WebSocketFrameReader(
    {
      onMessage: (_opcode, piece) => toClient.push(`${piece[0]} ${piece.subarray(1).toString()}`),
      onControl: (opcode, payload) => toClient.push(`control ${opcode} ${payload.toString('hex')}`),
    },
    { masked: false },
  )
  const frames = new SpdyFrameReader({
    onData: (stream, piece, fin) => toRemote.push(`${streams.get(stream)} ${piece.toString()}${fin ? ' end' : ''}`),
    onControl: (type, _flags, payload) => {
      if (type !== spdyFrame.synStream) return void toRemote.push(`control ${type} ${payload.toString('hex')}`)
      const oldLength = headers.length === 0 ? 0 : inflate(headers).length
      headers = Buffer.concat([headers, payload.subarray(10)])
      const text = inflate(headers).subarray(oldLength).toString('latin1')
      streams.set(payload.readUInt32BE(0), /streamtype\0\0\0.(.+)$/s.exec(text)![1]!)
    },
  })
  client.far.on('data', (chunk: Buffer) => messages.push(chunk))
  remote.far.on('data', (chunk: Buffer) => frames.push(chunk))
  const translation = new ProcessTranslation(client.near, Buffer.alloc(0), {
    stdin: false,
    stdout: false,
    stderr: false,
    tty: false,
    ...expectedStreams,
  })
  const join = (): void => translation.join(remote.near, Buffer.alloc(0), 'v4.channel.k8s.io')
  const findId = (name: string): number => [...streams].find(([, other]) => other === name)![0]
  return {
    translation,
    join,
    toClient,
    toRemote,
    streams,
    client: client.far,
    remote: remote.far,
    say: (opcode: number, ...bytes: (number | string)[]) => client.far.write(encodeMasked(opcode, bytes)),
    tell: (name: string, text: string, fin = false) =>
      remote.far.write(Buffer.concat([encodeSpdyDataHead(findId(name), text.length, fin), Buffer.from(text)])),
  }
}

function inflate(bytes: Buffer): Buffer {
  return inflateSync(bytes, { dictionary: spdyDictionary, finishFlush: constants.Z_SYNC_FLUSH })
}

function encodeMasked(opcode: number, bytes: readonly (number | string)[]): Buffer {
  const payload = Buffer.concat(bytes.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))))
  const head = encodeWebSocketHead(opcode, payload.length)
  head[1]! |= 0x80
  return Buffer.concat([head, Buffer.alloc(4), payload])
}

const { binary, ping, close } = websocketOpcode

test('maps each channel to a stream, and for a terminal the resize channel but no stderr', async () => {
  const { join, say, tell, streams, toRemote, toClient } = await translate({ stdin: true, stdout: true, stderr: true, tty: true })
  // The client sends data before the streams to the kubelet exist.
  say(binary, 0, 'early')
  join()
  say(binary, 4, '{"Width":80,"Height":25}')
  say(binary, 7, 'for nobody')
  say(binary, 255, 0)
  say(binary, 0, 'too late')
  await expect.poll(() => toRemote.length).toBe(3)
  expect([...streams.values()]).toEqual(['error', 'stdin', 'stdout', 'resize'])
  expect(toRemote).toEqual(['stdin early', 'resize {"Width":80,"Height":25}', 'stdin  end'])
  tell('stdout', 'output', true)
  tell('error', '{"status":"Success"}', true)
  await expect.poll(() => toClient.length).toBe(4)
  expect(toClient).toEqual(['1 ', '1 output', '3 {"metadata":{},"status":"Success"}', 'control 8 03e8'])
})

test('waits for data before the final status, but not for data after it', async () => {
  const { join, tell, streams, toClient } = await translate({ stdout: true, stderr: true })
  join()
  await expect.poll(() => streams.size).toBe(3)
  tell('error', '{"status":"Success"}', true)
  tell('stdout', '', true)
  tell('stderr', 'still')
  tell('stderr', ' talking', true)
  await expect.poll(() => toClient.at(-1)).toBe('control 8 03e8')
  expect(toClient.filter((text) => text.startsWith('2')).join('')).toBe('2 still2  talking')
})

test('reports a process whose connection breaks as failed', async () => {
  const { join, remote, streams, toClient } = await translate({ stdout: true })
  join()
  await expect.poll(() => streams.size).toBe(2)
  remote.destroy()
  await expect.poll(() => toClient.at(-1)).toBe('control 8 03e8')
  expect(toClient.at(-2)).toMatch(/^3 .*"status":"Failure".*unexpected EOF/)
})

test('answers pings of the client and the kubelet, and closes both connections if the client closes', async () => {
  const { join, say, remote, toClient, toRemote, translation } = await translate({ stdin: true })
  join()
  say(ping, 'hi')
  remote.write(encodeSpdyControl(spdyFrame.ping, 0, Buffer.from([0, 0, 0, 2])))
  await expect.poll(() => toClient).toContain('control 10 6869')
  await expect.poll(() => toRemote).toEqual(['control 6 00000002'])
  const closed = new Promise((resolve) => remote.once('close', resolve))
  say(close)
  await closed
  expect(translation.signal.aborted).toBe(true)
})

test('closes the connection after a protocol violation', async () => {
  const { join, client, toClient } = await translate({ stdin: true })
  join()
  client.write(Buffer.from([0x82, 0x00]))
  await expect.poll(() => toClient.at(-1)).toBe('control 8 03ea')
})

test('reads from the kubelet no faster than the client reads', async () => {
  const { join, client, remote, streams, translation } = await translate({ stdout: true })
  join()
  await expect.poll(() => streams.size).toBe(2)
  client.pause()
  const chunk = Buffer.concat([encodeSpdyDataHead(3, 65_536, false), Buffer.alloc(65_536)])
  let written = 0
  for (let idle = 0; idle < 3 && written < 512;) {
    if (remote.write(chunk)) written++
    else if (!(await Promise.race([waitForDrain(remote), waitWithoutDrain(30)]))) idle++
  }
  expect(written).toBeLessThan(512)
  expect(translation.socket.writableLength).toBeLessThan(1024 * 1024)
})

function waitForDrain(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => socket.once('drain', () => resolve(true)))
}

function waitWithoutDrain(milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => setTimeout(() => resolve(false), milliseconds))
}
