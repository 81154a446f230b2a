import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'

const binary = findEtcd()
const writes = 50
const configMaps = '/api/v1/namespaces/default/configmaps'

interface Watch extends Disposable {
  /** Time (`performance.now()`) at which each event arrived, by object name. */
  readonly heard: ReadonlyMap<string, number>
}

/** Opens a watch that records when events arrive. Resolves when the watch is open. */
async function watchNames({ url, token }: KeelsonProcess): Promise<Watch> {
  const heard = new Map<string, number>()
  const request = https.get(`${url}${configMaps}?watch=true&labelSelector=timed`, {
    rejectUnauthorized: false,
    headers: { authorization: `Bearer ${token}` },
  })
  const [lines] = (await once(request, 'response')) as [IncomingMessage]
  // Ignores errors, because closing the watch on this side causes some.
  for (const emitter of [request, lines]) emitter.on('error', () => {})
  const reader = createInterface({ input: lines })
  reader.on('error', () => {})
  reader.on('line', (line) => {
    const { object } = JSON.parse(line) as { object: { metadata: { name: string } } }
    heard.set(object.metadata.name, performance.now())
  })
  return { heard, [Symbol.dispose]: () => void request.destroy() }
}

describe.skipIf(binary === undefined)('two servers on one etcd', { timeout: 60_000 }, () => {
  let etcd: EtcdProcess
  let servers: KeelsonProcess[]

  beforeAll(async () => {
    etcd = await startEtcd(binary ?? '')
    const flags = ['--storage-backend=etcd3', `--etcd-servers=${etcd.url}`]
    servers = await Promise.all([startKeelsonProcess({ flags }), startKeelsonProcess({ flags })])
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await etcd[Symbol.asyncDispose]()
  })

  test('see each other’s writes through a watch within 100 ms of the request', async () => {
    const lags: number[] = []
    for (const [from, to] of [
      [0, 1],
      [1, 0],
    ] as const) {
      using client = new HttpsClient(servers[from]!.url, servers[from]!.token, 1)
      using watch = await watchNames(servers[to]!)
      const { heard } = watch
      for (let n = 0; n < writes; n++) {
        const name = `from-${from}-${n}`
        const began = performance.now()
        const answer = await client.request('POST', configMaps, { body: { metadata: { name, labels: { timed: 'yes' } } } })
        expect(answer.status, answer.text).toBe(201)
        await expect.poll(() => heard.has(name), { interval: 1, timeout: 10_000 }).toBe(true)
        lags.push(heard.get(name)! - began)
      }
    }
    const sorted = lags.toSorted((a, b) => a - b)
    const [median, most] = [sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!]
    console.log(
      `seen on the other server after: median ${median.toFixed(1)} ms, at most ${most.toFixed(1)} ms of ${lags.length} (bar 100 ms)`,
    )
    // Checks the median and not the maximum, because concurrent tests can delay single events.
    expect(median).toBeLessThan(100)
  })
})
