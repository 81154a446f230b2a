import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'
import type { TestServer } from '../test-server.fixture.ts'

let server: TestServer
let listener: http2.Http2Server
let client: http2.ClientHttp2Session
beforeAll(async () => {
  server = await openTestServer()
  const handle = getRequestListener(server.app.fetch, { overrideGlobalObjects: false })
  listener = http2.createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  client = http2.connect(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`)
})
afterAll(async () => {
  client.destroy()
  await new Promise((resolve) => listener.close(resolve))
  await server[Symbol.asyncDispose]()
})

const maps = '/api/v1/namespaces/h/configmaps'

function send(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const stream = client.request({ ':method': method, ':path': path, ...(body === undefined ? {} : { 'content-type': 'application/json' }) })
  stream.end(body === undefined ? undefined : JSON.stringify(body))
  return new Promise((resolve, reject) => {
    let status = 0
    let text = ''
    stream.setEncoding('utf8')
    stream.on('response', (headers) => (status = Number(headers[':status'])))
    stream.on('data', (chunk: string) => (text += chunk))
    stream.on('end', () => resolve({ status, text }))
    stream.on('error', reject)
  })
}

it('serves objects and long lists', async () => {
  for (let i = 0; i < 60; i++) {
    const created = await send('POST', maps, { metadata: { name: `m${i}` }, data: { v: 'x'.repeat(5_000) } })
    expect(created.status).toBe(201)
  }
  const list = await send('GET', maps)
  expect(JSON.parse(list.text).items).toHaveLength(60)
})

it.each(['FOO', 'constructor', 'toString', '__proto__'])('rejects the method %s', async (method) => {
  const { status, text } = await send(method, maps)
  expect([status, text]).toEqual([405, expect.stringContaining('the server does not allow this method on the requested resource')])
})

it('ends the storage watch if the client resets the stream', async () => {
  const storage = server.group.storage.get('v1')!.get('configmaps')! as unknown as { watch: (...args: unknown[]) => unknown }
  const original = storage.watch.bind(storage)
  let signal: AbortSignal | undefined
  storage.watch = (context, options, given) => {
    signal = given as AbortSignal
    return original(context, options, given)
  }
  const stream = client.request({ ':path': `${maps}?watch=1` })
  stream.on('error', () => {})
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const expectText = async (part: string): Promise<void> => {
    for (let i = 0; i < 400 && !text.includes(part); i++) await wait(5)
    expect(text).toContain(part)
  }
  await expectText('"m59"')
  await send('POST', maps, { metadata: { name: 'live' } })
  await expectText('"live"')
  expect(signal!.aborted).toBe(false)
  stream.close(http2.constants.NGHTTP2_CANCEL)
  for (let i = 0; i < 200 && !signal!.aborted; i++) await wait(5)
  expect(signal!.aborted).toBe(true)
})
