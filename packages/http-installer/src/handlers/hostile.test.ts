import http from 'node:http'
import { encodeUnknown } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { fourfold, measureProcessorTime } from '@keelson/apimachinery/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'
import type { Answer, TestServer } from '../test-server.fixture.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await server.request('POST', maps, { metadata: { name: 'a' } })
})
afterAll(() => server[Symbol.asyncDispose]())

const maps = '/api/v1/namespaces/x/configmaps'

/** Sends a request byte for byte: no path is resolved and no headers are joined. */
function send(method: string, target: string, headers: readonly string[] = [], body = ''): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.base)
    const length = body === '' ? [] : ['content-length', String(body.length)]
    const request = http.request(
      { hostname, port, method, path: target, headers: ['host', 'x', ...headers, ...length] as never },
      (message) => {
        let text = ''
        message.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        message.on('end', () => resolve({ status: message.statusCode!, text }))
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

it.each(['/api/v1/namespaces/x/y/../configmaps', '/api/v1/../v1/configmaps', '/api/v1/configmaps#x', '/api/v1//configmaps'])(
  'a path means what it says: %s is not a list',
  async (path) => {
    expect((await send('GET', path)).status).toBe(404)
  },
)

it('an escaped slash separates path segments like an unescaped one', async () => {
  expect((await send('GET', '/api/v1/namespaces/x%2Fconfigmaps/a')).status).toBe(200)
  expect((await send('GET', '/api/v1/namespaces/x/configmaps/%2561')).status).toBe(400)
})

it('uses the first of several content types, and accepts one type only', async () => {
  const merge = ['content-type', 'application/merge-patch+json']
  const json = ['content-type', 'application/json']
  expect((await send('PATCH', `${maps}/a`, [...merge, ...json], '{}')).status).toBe(200)
  expect((await send('PATCH', `${maps}/a`, [...json, ...merge], '{}')).status).toBe(415)
  const answer = await send('PATCH', `${maps}/a`, ['content-type', 'text/x, application/merge-patch+json'], '{}')
  expect([answer.status, answer.text]).toEqual([415, expect.stringContaining('the body of the request was in an unknown format')])
  expect(server.errors).toEqual([])
})

it('drops warnings that do not fit into the headers, without formatting them', async () => {
  const post = (count: number): Promise<Answer> => {
    const unknown = Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 1]))
    return server.request('POST', `${maps}?dryRun=All`, { metadata: { name: 'warned' }, ...unknown })
  }
  const timeOfFew = await measureProcessorTime(() => post(20_000))
  expect(await measureProcessorTime(() => post(80_000))).toBeLessThan(fourfold * timeOfFew)
  const { status, headers } = await post(80_000)
  expect([status, headers['warning']]).toEqual([201, expect.stringContaining('unknown field \\"x0\\"')])
  expect(String(headers['warning']).length).toBeLessThan(5000)
})

it('finds duplicate owner references in linear time', async () => {
  const createOwner = (i: number): object => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: 'u' })
  const post = (count: number): Promise<Answer> => {
    const ownerReferences = [...Array.from({ length: count }, (_, i) => createOwner(i)), createOwner(7)]
    return server.request('POST', `${maps}?dryRun=All`, { metadata: { name: 'owned', ownerReferences } })
  }
  const timeOfFew = await measureProcessorTime(() => post(4_000))
  expect(await measureProcessorTime(() => post(16_000))).toBeLessThan(fourfold * timeOfFew)
  const answer = await post(16_000)
  expect(answer.status, answer.text.slice(0, 500)).toBe(201)
  expect(answer.body.metadata.ownerReferences).toHaveLength(16_000)
  expect(answer.headers['warning']).toContain('duplicate UID(s) observed: u')
})

const values = 100_000
const formatEmptyItems = (count: number): string => `[${Array.from({ length: count }, () => '{}').join(',')}]`

it.each([
  ['POST', maps, 'application/json', 'list items', `{"metadata":{"name":"b","ownerReferences":${formatEmptyItems(values)}}}`],
  ['POST', maps, 'application/json', 'items that are unknown', `{"metadata":{"name":"b"},"x":${formatEmptyItems(values)}}`],
  [
    'POST',
    maps,
    'application/json',
    'nested items',
    `{"metadata":{"name":"b"},"x":[${Array(20)
      .fill(formatEmptyItems(values / 20))
      .join()}]}`,
  ],
  ['POST', maps, 'application/json', 'members', JSON.stringify({ metadata: { name: 'b' }, data: createMembers(values) })],
  ['POST', maps, 'application/yaml', 'list items', `{"metadata":{"name":"b","ownerReferences":${formatEmptyItems(values)}}}`],
  ['POST', maps, 'application/yaml', 'lines', `metadata:\n  name: b\ndata:\n${Object.keys(createMembers(values)).join(': ""\n')}: ""\n`],
  ['PUT', `${maps}/a`, 'application/json', 'list items', `{"metadata":{"name":"a","ownerReferences":${formatEmptyItems(values)}}}`],
  ['PATCH', `${maps}/a`, 'application/merge-patch+json', 'list items', `{"metadata":{"ownerReferences":${formatEmptyItems(values)}}}`],
  ['PATCH', `${maps}/a`, 'application/strategic-merge-patch+json', 'members', JSON.stringify({ data: createMembers(values) })],
  ['PATCH', `${maps}/a`, 'application/json-patch+json', 'operations', formatEmptyItems(values + 1)],
  ['PATCH', `${maps}/a?fieldManager=m`, 'application/apply-patch+yaml', 'members', JSON.stringify({ data: createMembers(values) })],
  [
    'DELETE',
    `${maps}/a`,
    'application/json',
    'list items',
    `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":${formatEmptyItems(values)}}`,
  ],
])('rejects a document with too many values: %s %s as %s, %s', async (method, path, type, _, body) => {
  const answer = await send(method, path, ['content-type', type], body)
  const message = 'Request entity too large: a document has at most 100000 list items and members of objects'
  expect([answer.status, answer.text]).toEqual([413, expect.stringContaining(message)])
  expect(server.errors).toEqual([])
})

it('rejects a protobuf message with too many values', async () => {
  const type = coreV1.kinds.find(({ gvk }) => gvk.kind === 'ConfigMap')!
  const encodeBody = (count: number): Buffer =>
    Buffer.from(encodeUnknown(type.gvk, type.encodeProto({ metadata: { name: 'b', finalizers: Array(count).fill('') } })))
  const post = (count: number): Promise<{ readonly status: number; readonly text: string }> =>
    send('POST', `${maps}?dryRun=All`, ['content-type', 'application/vnd.kubernetes.protobuf'], encodeBody(count) as never)
  expect(await post(values)).toMatchObject({ status: 413, text: expect.stringContaining('at most 100000 list items') })
  expect((await post(values - 100)).status).not.toBe(413)
})

it('accepts a document with nearly as many values as allowed', async () => {
  const { status } = await send(
    'POST',
    `${maps}?dryRun=All`,
    ['content-type', 'application/json'],
    JSON.stringify({ metadata: { name: 'b' }, data: createMembers(values - 10) }),
  )
  expect(status).toBe(201)
})

it.each([
  ['strategic-merge-patch+json', (deep: string) => `{"metadata":{"annotations":${deep}}}`],
  ['apply-patch+yaml', (deep: string) => `{"apiVersion":"v1","kind":"ConfigMap","data":${deep}}`],
])('rejects a document that is nested too deep for the stack: %s', async (type, body) => {
  const depth = 5000
  const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const answer = await send('PATCH', `${maps}/a?fieldManager=m`, ['content-type', `application/${type}`], body(deep))
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('exceeded max depth')])
})

function createMembers(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, '']))
}
