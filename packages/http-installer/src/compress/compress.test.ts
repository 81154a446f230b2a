import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'
import type { TestServer } from '../test-server.fixture.ts'

const gzip = { 'accept-encoding': 'deflate, gzip' }
const path = '/api/v1/namespaces/ns/configmaps'
let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  const text = 'what is said again and again '.repeat(8000)
  for (let i = 0; i < 6; i++) await server.request('POST', path, { metadata: { name: `large-${i}` }, data: { text } })
  await server.request('POST', path, { metadata: { name: 'small' } })
})
afterAll(() => server[Symbol.asyncDispose]())

it.each([
  ['a list', path, 'application/json'],
  ['a list that fits in one piece', `${path}?limit=1`, 'application/json'],
  ['a list for people', `${path}?pretty=true`, 'application/json'],
  ['a list as YAML', `${path}?limit=1`, 'application/yaml'],
  ['a list as protobuf', path, 'application/vnd.kubernetes.protobuf'],
  ['an object', `${path}/large-0`, 'application/json'],
  ['an object as protobuf', `${path}/large-0`, 'application/vnd.kubernetes.protobuf'],
  ['the schema', '/openapi/v2', 'application/json'],
])('compresses a long %s for clients that accept gzip', async (_, target, accept) => {
  const plain = await server.request('GET', target, undefined, { accept })
  expect(plain.headers).not.toHaveProperty('content-encoding')
  const { headers, bytes } = await server.request('GET', target, undefined, { accept, ...gzip })
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': plain.headers['content-type'] })
  expect(headers.vary).toContain('Accept-Encoding')
  expect(headers).not.toHaveProperty('content-length')
  expect(bytes.length).toBeLessThan(plain.bytes.length / 2)
  expect(gunzipSync(bytes).equals(plain.bytes)).toBe(true)
})

it('does not compress short responses, or responses for clients that refuse gzip', async () => {
  for (const [target, headers] of [
    [`${path}/small`, gzip],
    [`${path}?labelSelector=none`, gzip],
    [path, { 'accept-encoding': 'identity, gzip;q=0' }],
  ] as const) {
    const answer = await server.request('GET', target, undefined, headers)
    expect(answer.headers).not.toHaveProperty('content-encoding')
    expect(answer.headers).toHaveProperty('content-length')
  }
})

it('a client that disconnects during a response causes no error and blocks no other', async () => {
  const { port } = server.server.address() as AddressInfo
  for (let i = 0; i < 20; i++) {
    await new Promise<void>((resolve, reject) => {
      const request = http.get({ port, path, headers: gzip }, (answer) => {
        answer.once('data', () => request.destroy())
        answer.once('close', resolve)
      })
      request.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? resolve() : reject(error)))
    })
  }
  expect((await server.request('GET', path, undefined, gzip)).status).toBe(200)
  expect(server.errors).toEqual([])
})
