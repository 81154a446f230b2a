import type { TLSSocket } from 'node:tls'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createDialer } from '../dialer.ts'
import { createHeaders, createSettings, get, goAway, readStatus, startRawServer, type } from './raw-server.fixture.ts'
import type { RawServer } from './raw-server.fixture.ts'

/** Starts requests that the server answers only when it is called. */
async function startHeld(
  count: number,
  options: Parameters<typeof startRawServer>[1],
): Promise<{ readonly server: RawServer; readonly arrived: readonly [TLSSocket, number][]; readonly statuses: Promise<number[]> }> {
  const arrived: [TLSSocket, number][] = []
  const server = await startRawServer((socket, stream) => void arrived.push([socket, stream]), options)
  const statuses = Promise.all(Array.from({ length: count }, () => readStatus(server.client)))
  return { server, arrived, statuses }
}

function answerAll(arrived: readonly [TLSSocket, number][]): void {
  for (const [socket, stream] of arrived) socket.write(createHeaders(stream, 5))
}

it('starts at most 100 requests before the settings of the server have arrived', async () => {
  const { server, arrived, statuses } = await startHeld(150, { greeting: Buffer.alloc(0) })
  await using _ = server
  await expect.poll(() => arrived.length).toBe(100)
  await wait(50)
  expect([arrived.length, server.connections()]).toEqual([100, 1])
  arrived[0]![0].write(createSettings())
  await expect.poll(() => arrived.length).toBe(150)
  answerAll(arrived)
  expect([new Set(await statuses), server.connections()]).toEqual([new Set([200]), 1])
})

it('starts all requests that have waited for the only connection', async () => {
  const { server, arrived, statuses } = await startHeld(20, { maxConnections: 1 })
  await using _ = server
  await expect.poll(() => arrived.length).toBe(20)
  answerAll(arrived)
  expect(new Set(await statuses)).toEqual(new Set([200]))
})

it('starts waiting requests when the server allows more of them', async () => {
  const { server, arrived, statuses } = await startHeld(1, { maxConnections: 1, greeting: createSettings(1) })
  await using _ = server
  await expect.poll(() => arrived.length).toBe(1)
  const later = Array.from({ length: 6 }, () => readStatus(server.client))
  await wait(50)
  expect(arrived.length).toBe(1)
  arrived[0]![0].write(createSettings(7))
  await expect.poll(() => arrived.length).toBe(7)
  answerAll(arrived)
  expect(new Set([...(await statuses), ...(await Promise.all(later))])).toEqual(new Set([200]))
})

it('reports a failure to connect to each request that has waited for the connection', async () => {
  using client = createDialer({ maxConnections: 1 }).client({ url: 'https://127.0.0.1:1' })
  const answers = await Promise.all(Array.from({ length: 3 }, () => client.request({ timeoutMs: 20_000 })))
  expect(answers).toMatchObject(Array.from({ length: 3 }, () => ({ failed: true, error: { kind: 'dial' } })))
})

it('still pings a server that has said goodbye', async () => {
  await using server = await startRawServer((socket, stream) => {
    if (stream === 3) socket.write(goAway(3))
  })
  const controller = new AbortController()
  const open = server.client.stream({ ...get, signal: controller.signal }).catch(() => 'aborted')
  expect(await server.client.request({ timeoutMs: 300 })).toMatchObject({ failed: true, error: { kind: 'timeout' } })
  await expect.poll(() => server.received.includes(type.ping)).toBe(true)
  controller.abort()
  expect(await open).toBe('aborted')
})
