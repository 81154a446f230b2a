import http from 'node:http'
import { fourfold, processorTime } from '@keelson/apimachinery/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestServer } from './test-server.fixture.ts'
import type { Answer, TestServer } from './test-server.fixture.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await server.request('POST', maps, { metadata: { name: 'a' } })
})
afterAll(() => server[Symbol.asyncDispose]())

const maps = '/api/v1/namespaces/x/configmaps'

/** The target and the headers as they are: nothing resolved, nothing joined. */
function send(method: string, target: string, headers: readonly string[] = [], body = ''): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.base)
    const length = body === '' ? [] : ['content-length', String(body.length)]
    const sent = http.request(
      { hostname, port, method, path: target, headers: ['host', 'x', ...headers, ...length] as never },
      (message) => {
        let text = ''
        message.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        message.on('end', () => resolve({ status: message.statusCode!, text }))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

it.each(['/api/v1/namespaces/x/y/../configmaps', '/api/v1/../v1/configmaps', '/api/v1/configmaps#x', '/api/v1//configmaps'])(
  'a path means what it says: %s is not a list',
  async (path) => {
    expect((await send('GET', path)).status).toBe(404)
  },
)

it('an escaped slash separates like any other', async () => {
  expect((await send('GET', '/api/v1/namespaces/x%2Fconfigmaps/a')).status).toBe(200)
  expect((await send('GET', '/api/v1/namespaces/x/configmaps/%2561')).status).toBe(400)
})

it('takes the first of several content types, and one type only', async () => {
  const merge = ['content-type', 'application/merge-patch+json']
  const json = ['content-type', 'application/json']
  expect((await send('PATCH', `${maps}/a`, [...merge, ...json], '{}')).status).toBe(200)
  expect((await send('PATCH', `${maps}/a`, [...json, ...merge], '{}')).status).toBe(415)
  const both = await send('PATCH', `${maps}/a`, ['content-type', 'text/x, application/merge-patch+json'], '{}')
  expect([both.status, both.text]).toEqual([415, expect.stringContaining('the body of the request was in an unknown format')])
  expect(server.errors).toEqual([])
})

it('a hundred thousand warnings cost no more than those that fit', async () => {
  const post = (count: number): Promise<Answer> => {
    const unknown = Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 1]))
    return server.request('POST', `${maps}?dryRun=All`, { metadata: { name: 'warned' }, ...unknown })
  }
  const few = await processorTime(() => post(25_000))
  expect(await processorTime(() => post(100_000))).toBeLessThan(fourfold * few)
  const { status, headers } = await post(100_000)
  expect([status, headers['warning']]).toEqual([201, expect.stringContaining('unknown field \\"x0\\"')])
  expect(String(headers['warning']).length).toBeLessThan(5000)
})

it('finds repeated owner references in one look at each', async () => {
  const owner = (i: number): object => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: 'u' })
  const post = (count: number): Promise<Answer> => {
    const ownerReferences = [...Array.from({ length: count }, (_, i) => owner(i)), owner(7)]
    return server.request('POST', `${maps}?dryRun=All`, { metadata: { name: 'owned', ownerReferences } })
  }
  const few = await processorTime(() => post(5_000))
  expect(await processorTime(() => post(20_000))).toBeLessThan(fourfold * few)
  const answer = await post(20_000)
  expect(answer.status, answer.text.slice(0, 500)).toBe(201)
  expect(answer.body.metadata.ownerReferences).toHaveLength(20_000)
  expect(answer.headers['warning']).toContain('duplicate UID(s) observed: u')
})
