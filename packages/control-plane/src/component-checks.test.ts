import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { componentOnPort } from './component-checks.ts'

test('a part that does not run is unhealthy, in the words of the original', async () => {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const check = componentOnPort(port)
  const at = `Get "https://127.0.0.1:${port}/healthz": `
  expect(await check()).toEqual({ healthy: false, message: `${at}EOF` })
  await new Promise((resolve) => server.close(resolve))
  expect(await check()).toEqual({ healthy: false, message: `${at}dial tcp 127.0.0.1:${port}: connect: connection refused` })
})
