import { connect as connectHttp2 } from 'node:http2'
import { get as httpsGet } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const path = '/api/v1/configmaps?watch=1'
let chain: ServerChain
beforeAll(async () => void (chain = await startChain({ controllers: ['*'] })))
afterAll(() => chain.close())

function answer(target: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { ca: chain.certificateAuthority, headers: { authorization: `Bearer ${chain.adminToken}` }, agent: false as const }
    httpsGet(chain.url + target, options, (message) => {
      let text = ''
      message.setEncoding('utf8')
      message.on('data', (chunk: string) => (text += chunk))
      message.on('end', () => resolve(text))
    }).on('error', reject)
  })
}

/** Reads the number of open watches from the metrics. */
async function countWatches(): Promise<number> {
  const line = /^apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*verb="WATCH"[^}]*\} (\d+)$/m
  return Number(line.exec(await answer('/metrics'))?.[1] ?? 0)
}

/** Clients by protocol. Each opens a watch and returns a function that drops the connection. */
const clients: Readonly<Record<string, () => Promise<() => void>>> = {
  'HTTP/1.1': () =>
    new Promise((resolve, reject) => {
      const options = { ca: chain.certificateAuthority, headers: { authorization: `Bearer ${chain.adminToken}` }, agent: false as const }
      const request = httpsGet(chain.url + path, options, (message) => {
        message.on('error', () => {})
        message.once('data', () => resolve(() => void request.destroy()))
      })
      request.on('error', reject)
    }),
  'a stream of HTTP/2': () =>
    new Promise((resolve, reject) => {
      const session = connectHttp2(chain.url, { ca: chain.certificateAuthority })
      const stream = session.request({ ':path': path, authorization: `Bearer ${chain.adminToken}` })
      stream.on('error', reject)
      stream.once('data', () => resolve(() => stream.close(8)))
    }),
  'a connection of HTTP/2': () =>
    new Promise((resolve, reject) => {
      const session = connectHttp2(chain.url, { ca: chain.certificateAuthority })
      const stream = session.request({ ':path': path, authorization: `Bearer ${chain.adminToken}` })
      stream.on('error', () => {})
      session.on('error', reject)
      stream.once('data', () => resolve(() => session.destroy()))
    }),
}

test.each(Object.entries(clients))('ends a watch whose client has disconnected, even if no event follows: %s', async (_, open) => {
  const oldCount = await countWatches()
  const drops = await Promise.all(Array.from({ length: 5 }, open))
  expect(await countWatches()).toBe(oldCount + 5)
  expect(await answer('/metrics')).toMatch(/^apiserver_watch_events_total\{group="",resource="configmaps",version="v1"\} [1-9]/m)
  for (const drop of drops) drop()
  await expect.poll(countWatches, { interval: 20 }).toBe(oldCount)
})
