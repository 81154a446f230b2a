import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { spliceSockets } from './splice-sockets.ts'

const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

/** Opens a TCP connection and returns both ends. */
async function connectPair(): Promise<{ readonly near: Socket; readonly far: Socket }> {
  const server = createServer({ allowHalfOpen: true })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const acceptedSocket = new Promise<Socket>((resolve) => server.once('connection', resolve))
  const clientSocket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  const serverSocket = await acceptedSocket
  closers.push(() => (server.close(), serverSocket.destroy(), clientSocket.destroy()))
  return { near: serverSocket, far: clientSocket }
}

async function openSpliced() {
  const [client, remote] = await Promise.all([connectPair(), connectPair()])
  const stopping = new AbortController()
  const head = (text: string): Buffer => Buffer.from(text)
  const over = spliceSockets(
    { socket: client.near, head: head('first ') },
    { socket: remote.near, head: head('greeting ') },
    stopping.signal,
  )
  return { client: client.far, remote: remote.far, over, stopping, ends: [client.near, remote.near] }
}

/** Reads all data by events. An iterator would also close the other direction. */
function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return new Promise((resolve) => socket.once('end', () => resolve(text)))
}

test('copies bytes in both directions, the head first, and continues to send to a socket that has finished', async () => {
  const { client, remote, over } = await openSpliced()
  client.end('question')
  expect(await readAll(remote)).toBe('first question')
  remote.end('answer')
  expect(await readAll(client)).toBe('greeting answer')
  await over
})

test('destroys one socket if the other fails', async () => {
  const { client, remote, over } = await openSpliced()
  const remoteEnded = new Promise((resolve) => remote.once('end', resolve))
  remote.on('error', () => {}).resume()
  client.resetAndDestroy()
  await remoteEnded
  await over
})

test('pauses the sender if the other socket does not read', async () => {
  const { client, remote, ends } = await openSpliced()
  client.pause()
  let written = 0
  const chunk = Buffer.alloc(256 * 1024)
  // Writes until the buffers of the kernel and of Node are full.
  for (let idle = 0; idle < 5;) {
    if (remote.writableNeedDrain) {
      const drained = await Promise.race([
        new Promise((resolve) => remote.once('drain', () => resolve(true))),
        new Promise((resolve) => setTimeout(resolve, 20)),
      ])
      if (drained !== true) idle++
    } else {
      remote.write(chunk)
      written += chunk.length
    }
    if (written > 512 * 1024 * 1024) throw new Error('there is no end to it')
  }
  expect(ends[0]!.writableLength).toBeLessThan(1024 * 1024)
})

test('ends both sockets when the server stops', async () => {
  const { client, remote, over, stopping } = await openSpliced()
  stopping.abort()
  expect(await readAll(client)).toBe('greeting ')
  client.end()
  remote.end()
  await over
})
