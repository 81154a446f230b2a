import { expect, test } from 'vitest'
import type { ClientTarget, Dialer } from './dialer.ts'
import { createLoopbackDialer } from './loopback-dialer.ts'
import type { ServeRequest } from './loopback-dialer.ts'
import type { OutboundAnswer, OutboundRequest } from './outbound-request.ts'

const url = 'https://kubernetes.default.svc:443'
const service = { namespace: 'default', name: 'kubernetes', port: 443 }
const unused: Dialer = {
  client: () => ({
    request: async () => ({ failed: false, status: 200, headers: {}, body: Buffer.from('from the network') }),
    [Symbol.dispose]: () => {},
  }),
}

async function send(
  serve: ServeRequest,
  request: Partial<OutboundRequest> = {},
  target: ClientTarget = { url, service },
): Promise<OutboundAnswer> {
  using client = createLoopbackDialer(unused, serve).client(target)
  return await client.request({ timeoutMs: 20_000, ...request })
}
const formatAnswer = (answer: OutboundAnswer): string => (answer.failed ? answer.message : `${answer.status} ${answer.body.toString()}`)

test('serves requests for the service kubernetes with the given function', async () => {
  const calls: [string, RequestInit][] = []
  const serve: ServeRequest = async (path, init) => {
    calls.push([path, init])
    return new Response('served', { status: 201, headers: { 'x-one': 'one' } })
  }
  const answer = await send(serve, { method: 'POST', path: '/apis/a?b=c', headers: { accept: 'text/plain' }, body: 'text' })
  expect(answer).toMatchObject({ failed: false, status: 201, headers: { 'x-one': 'one' } })
  expect(formatAnswer(answer)).toBe('201 served')
  expect(calls).toMatchObject([['/apis/a?b=c', { method: 'POST', headers: { accept: 'text/plain' }, body: 'text' }]])
  expect(formatAnswer(await send(serve, {}, { url: `${url}/base?a=1` }))).toBe('201 served')
  expect(calls[1]![0]).toBe('/base?a=1')
})

test.each<ClientTarget>([
  { url, service: { ...service, port: 444 } },
  { url, service: { ...service, namespace: 'other' } },
  { url, service: { ...service, name: 'other' } },
  { url: 'https://kubernetes.default.svc:444' },
  { url: 'https://kubernetes.default.svc.example.com' },
])('sends requests for %j over the network', async (target) => {
  expect(formatAnswer(await send(() => Promise.reject(new Error('served')), {}, target))).toBe('200 from the network')
})

test('reports timeouts, cancelled requests, errors and large responses like a client of the network', async () => {
  const waitForever: ServeRequest = () => new Promise(() => {})
  const sendStart: ServeRequest = async () =>
    new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('a')) }))
  expect(formatAnswer(await send(waitForever, { timeoutMs: 20 }))).toBe(`Get "${url}/": context deadline exceeded`)
  expect(await send(sendStart, { timeoutMs: 50 })).toMatchObject({ failed: true, partial: true, status: 200, error: { kind: 'timeout' } })
  expect(formatAnswer(await send(waitForever, { signal: AbortSignal.abort() }))).toBe(`Get "${url}/": context canceled`)
  expect(formatAnswer(await send(() => Promise.reject(new Error('broken'))))).toBe(`Get "${url}/": broken`)
  const large = await send(async () => new Response('x'.repeat(11)), { maxBytes: 10 })
  expect(large).toMatchObject({ failed: true, error: { kind: 'tooLarge' } })
  expect(formatAnswer(await send(async () => new Response('x'.repeat(10)), { maxBytes: 10 }))).toBe('200 xxxxxxxxxx')
})

test('ends running requests when the client is disposed', async () => {
  const client = createLoopbackDialer(unused, () => new Promise(() => {})).client({ url, service })
  const running = client.request({ timeoutMs: 20_000 })
  client[Symbol.dispose]()
  expect(formatAnswer(await running)).toBe(`Get "${url}/": http: client is closed`)
})
