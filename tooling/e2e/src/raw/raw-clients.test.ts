import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Http2Client } from '../http2-client.ts'
import { HttpsClient } from '../https-client.ts'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { openWatch } from './open-watch.ts'
import type { OpenWatch, Protocol } from './open-watch.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}
type Send = (method: string, path: string, body?: unknown, type?: string) => Promise<Answer>

const configMaps = '/api/v1/namespaces/default/configmaps'
const patiently = { timeout: 15_000 }
const protocols: readonly Protocol[] = ['HTTP/1.1', 'HTTP/2']

let server: KeelsonProcess
let http1: HttpsClient
let http2: Http2Client
const clients: Readonly<Record<Protocol, Send>> = {
  'HTTP/1.1': (method, path, body, type = 'application/json') =>
    http1.request(method, path, { ...(body !== undefined && { body }), headers: { 'content-type': type } }),
  async 'HTTP/2'(method, path, body, type = 'application/json') {
    const bytes = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }
    const answer = await http2.request(method, path, { ...bytes, headers: { accept: 'application/json', 'content-type': type } })
    return { status: answer.status, headers: answer.headers, text: answer.body.toString() }
  },
}

beforeAll(async () => {
  server = await startKeelsonProcess()
  http1 = new HttpsClient(server.url, server.token)
  http2 = new Http2Client(server.url, server.token)
})
afterAll(async () => {
  http1[Symbol.dispose]()
  http2[Symbol.dispose]()
  await server.stop()
})

describe.each(protocols)('a client with only %s', (protocol) => {
  const send: Send = (...request) => clients[protocol](...request)
  const name = `raw-${protocol.replace(/\W/g, '').toLowerCase()}`
  const at = `${configMaps}/${name}`

  test('creates, reads, replaces, patches, lists and deletes objects', async () => {
    const created = await send('POST', configMaps, { metadata: { name, labels: { by: name } }, data: { a: '1' } })
    expect([created.status, created.headers['content-type']]).toEqual([201, 'application/json'])
    expect((await send('POST', configMaps, { metadata: { name } })).status).toBe(409)
    const read = await send('GET', at)
    expect([read.status, read.text]).toEqual([200, created.text])
    const old = JSON.parse(read.text) as object
    expect((await send('PUT', at, { ...old, data: { a: '2' } })).status).toBe(200)
    expect(JSON.parse((await send('PUT', at, { ...old, data: { a: '3' } })).text)).toMatchObject({ code: 409, reason: 'Conflict' })
    for (const [type, body] of [
      ['application/json-patch+json', [{ op: 'add', path: '/data/b', value: '1' }]],
      ['application/merge-patch+json', { data: { c: '1' } }],
      ['application/strategic-merge-patch+json', { data: { d: '1' } }],
    ] as const)
      expect((await send('PATCH', at, body, type)).status).toBe(200)
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { e: '1' } }
    expect((await send('PATCH', `${at}?fieldManager=raw`, applied, 'application/apply-patch+yaml')).status).toBe(200)
    const list = JSON.parse((await send('GET', `${configMaps}?labelSelector=by%3D${name}`)).text) as { items: { data: object }[] }
    expect(list.items.map(({ data }) => data)).toEqual([{ a: '2', b: '1', c: '1', d: '1', e: '1' }])
    expect(JSON.parse((await send('DELETE', at)).text)).toMatchObject({ kind: 'Status', status: 'Success', details: { name } })
    expect(JSON.parse((await send('GET', at)).text)).toMatchObject({ code: 404, details: { name, kind: 'configmaps' } })
  })

  test('gets 403 for forbidden requests', async () => {
    expect((await send('PATCH', at, {}, 'text/plain')).status).toBe(415)
    expect((await send('PUT', configMaps, {})).status).toBe(405)
    expect((await send('POST', configMaps, { metadata: { name: 'No Name' } })).status).toBe(422)
    expect((await send('GET', '/apis/nowhere/v1/things')).status).toBe(404)
    expect((await send('GET', `${configMaps}?watch=1&resourceVersion=x`)).status).toBe(500)
  })

  test('receives changes as they happen', async () => {
    const watch = await openWatch(protocol, server, `${configMaps}?watch=1&fieldSelector=metadata.name%3D${name}-seen`)
    const seen = `${configMaps}/${name}-seen`
    await send('POST', configMaps, { metadata: { name: `${name}-seen` } })
    await send('PATCH', seen, { data: { a: '1' } }, 'application/merge-patch+json')
    await send('DELETE', seen)
    await expect.poll(() => watch.listEvents().map(({ type }) => type), patiently).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
    watch.drop()
  })
})

describe('a watch of a disconnected client ends on the server within a second', () => {
  /** Returns the number of open watches according to the metrics. */
  const countWatches = async (): Promise<number> => {
    const line = /^apiserver_longrunning_requests\{[^}]*resource="secrets"[^}]*verb="WATCH"[^}]*\} (\d+)$/m
    return Number(line.exec((await http1.request('GET', '/metrics')).text)?.[1] ?? 0)
  }

  test.each(protocols)('over %s', async (protocol) => {
    const before = await countWatches()
    const watches: readonly OpenWatch[] = await Promise.all(
      Array.from({ length: 20 }, () => openWatch(protocol, server, '/api/v1/secrets?watch=1')),
    )
    expect(await countWatches()).toBe(before + 20)
    const dropped = performance.now()
    for (const watch of watches) watch.drop()
    let remaining: number
    // A metrics request that was sent after the second must not count the watch, even if its response is slow.
    do {
      const began = performance.now()
      remaining = await countWatches()
      if (began - dropped > 1000) break
    } while (remaining > before)
    expect(remaining).toBe(before)
  })
})
