import { expect, test } from 'vitest'
import { Exchange, isExchange } from './exchange.ts'
import type { ExchangeServices } from './exchange.ts'
import { openFetchPair } from './fetch-pair.ts'
import { parseRequestInfo } from './request-attributes.ts'
import { sendBytes, sendStream } from './send.ts'

function open(
  url = 'https://server/',
  init: RequestInit = {},
  services: ExchangeServices = {},
): { exchange: Exchange; response: Promise<Response> } {
  let exchange!: Exchange
  const response = new Promise<Response>((resolve, reject) => {
    const { incoming, outgoing } = openFetchPair(new Request(url, init), { resolve, reject })
    exchange = new Exchange(incoming, outgoing, services)
  })
  return { exchange, response }
}

test('parses the target, the query and each header only once', () => {
  const { exchange } = open('https://server/api/v1/pods?a=1', { headers: { accept: 'text/plain;q=0.5, application/json;as=Table' } })
  expect(exchange.target).toMatchObject({ path: '/api/v1/pods', query: 'a=1' })
  expect(exchange.query).toBe(exchange.query)
  expect(exchange.query.get('a')).toBe('1')
  expect(exchange.acceptClauses).toBe(exchange.acceptClauses)
  expect(exchange.acceptClauses.map(({ subtype }) => subtype)).toEqual(['json', 'plain'])
  expect(exchange.acceptedTypes).toEqual(['text/plain', 'application/json'])
})

test('returns empty values for a request without headers', () => {
  const { exchange } = open()
  expect([exchange.accept, exchange.contentType, exchange.userAgent, exchange.query.size]).toEqual(['', undefined, '', 0])
})

test.each([
  ['https://server/?fieldManager=mine', 'kubectl/v1 (linux)', 'mine'],
  ['https://server/', 'kubectl/v1 (linux)', 'kubectl'],
  ['https://server/', '', ''],
])('field manager of %s from %j: %j', (url, userAgent, manager) => {
  expect(open(url, { headers: { 'user-agent': userAgent } }).exchange.fieldManager).toBe(manager)
})

test('has no namespace for a cluster-scoped route, regardless of the URL', () => {
  const { exchange } = open('https://server/api/v1/namespaces/x')
  const attributes = parseRequestInfo('GET', exchange.target, exchange.query)
  const serve = async (): Promise<void> => {}
  exchange.interpret(attributes, { namespaced: true, isJsonOnly: false, serve })
  expect(exchange.namespace).toBe('x')
  exchange.interpret(attributes, { namespaced: false, isJsonOnly: false, serve })
  expect(exchange.namespace).toBe('')
})

test('runs finishers once at the end in reverse order, and a finisher that is added later immediately', () => {
  const { exchange } = open()
  const finished: string[] = []
  exchange.onEnd(() => finished.push('first'))
  exchange.onEnd((ended) => finished.push(`second ${ended === exchange}`))
  exchange.end()
  exchange.end()
  exchange.onEnd(() => finished.push('late'))
  expect(finished).toEqual(['second true', 'first', 'late'])
})

test.each([
  ['the client leaves', (exchange: Exchange) => void exchange.outgoing.destroy(), 'ClientGoneError'],
  ['the deadline passes', (exchange: Exchange) => exchange.expire(), 'DeadlineExceededError'],
])('the signal aborts when %s, even if it is read afterwards', async (_, happen, name) => {
  const { exchange, response } = open()
  response.catch(() => {})
  const { exchange: unread, response: otherResponse } = open()
  otherResponse.catch(() => {})
  const { signal } = exchange
  expect([exchange.aborted, unread.aborted]).toEqual([false, false])
  happen(exchange)
  happen(unread)
  await expect.poll(() => signal.aborted).toBe(true)
  expect((signal.reason as Error).name).toBe(name)
  expect([exchange.aborted, unread.aborted, unread.signal.aborted]).toEqual([true, true, true])
})

test('does not abort the signal if the connection closes after the end', async () => {
  const { exchange, response } = open()
  const { signal } = exchange
  exchange.end()
  sendBytes(exchange, 200, {}, 'ok')
  await (await response).text()
  await new Promise((resolve) => setImmediate(resolve))
  expect([signal.aborted, exchange.aborted]).toEqual([false, false])
})

test('sends each warning once, until the response headers are sent', async () => {
  const { exchange, response } = open()
  for (const text of ['old "field"', 'old "field"', '', 'second']) exchange.warn(text)
  exchange.addHeaders(['Audit-Id', 'a'])
  exchange.addHeaders(['Cache-Control', 'no-cache'])
  sendBytes(exchange, 200, {}, 'ok')
  exchange.warn('late')
  const { headers } = await response
  expect(headers.get('warning')).toBe('299 - "old \\"field\\"", 299 - "second"')
  expect([headers.get('audit-id'), headers.get('cache-control'), headers.get('content-length')]).toEqual(['a', 'no-cache', '2'])
})

test('aborts the response if a stream fails after the headers were sent', async () => {
  const { exchange, response } = open()
  const sending = sendStream(exchange, 200, {}, async (sink) => {
    sink.write('half')
    await new Promise((resolve) => setImmediate(resolve))
    throw new Error('broken')
  })
  await expect(sending).rejects.toMatchObject({ name: 'BrokenResponseError', cause: { message: 'broken' } })
  await expect((await response).text()).rejects.toThrow('aborted the response')
})

test('isExchange accepts an exchange of another copy of the package', () => {
  const { exchange } = open()
  expect([isExchange(exchange), isExchange({ incoming: {}, outgoing: {} }), isExchange(undefined)]).toEqual([true, false, false])
  // An object of another class with the members of an exchange.
  expect(isExchange({ interpret: () => {}, acceptClauses: [] })).toBe(true)
})
