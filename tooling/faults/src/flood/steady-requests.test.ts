import { createSelfSigned } from '@keelson/tooling-bench/self-signed'
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { threadTimeHeader } from './flooded-server.ts'
import { sendSteadily } from './steady-requests.ts'
import type { SteadyOutcome } from './steady-requests.ts'

const requests = { user: 'quiet', rate: 1000, method: 'GET', path: '/a' } as const

/** Sends 20 requests to a server whose thread has always used a second before a request. */
async function sendTo(headers: Readonly<Record<string, string>>): Promise<SteadyOutcome> {
  const server = https.createServer(createSelfSigned(), (_request, response) => response.writeHead(200, headers).end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    return await sendSteadily({ name: 'fake', url, threadMilliseconds: () => 1000, [Symbol.asyncDispose]: async () => {} }, 0.02, requests)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('the processor time ends when the server writes the response', async () => {
  expect(await sendTo({ [threadTimeHeader]: '1030' })).toMatchObject({ requests: 20, failures: {}, processorP99: 30 })
})

test('a response without its processor time fails the measurement', async () => {
  await expect(sendTo({})).rejects.toThrow('have no header x-thread-milliseconds, so their processor time is unknown')
})
