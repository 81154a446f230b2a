import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { checkComponentOnPort } from './component-checks.ts'

test("reports a component that does not run with kube-apiserver's message", async () => {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const check = checkComponentOnPort(port)
  const at = `Get "https://127.0.0.1:${port}/healthz": `
  expect(await check()).toEqual({ healthy: false, message: `${at}EOF` })
  await new Promise((resolve) => server.close(resolve))
  expect(await check()).toEqual({ healthy: false, message: `${at}dial tcp 127.0.0.1:${port}: connect: connection refused` })
})
