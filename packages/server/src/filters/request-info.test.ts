import { expect, test } from 'vitest'
import type { RequestAttributes, Route } from '@keelson/exchange'
import { Exchange, openFetchPair } from '@keelson/exchange'
import { openTestExchange } from './exchange.fixture.ts'
import { requestInfo } from './request-info.ts'

const route: Route = { namespaced: false, isJsonOnly: false, serve: async () => {} }

test('finds the route of a request once, and the route decides whether the request has a namespace', async () => {
  const lookups: RequestAttributes[] = []
  const { exchange } = openTestExchange('/api/v1/namespaces/x/status')
  const filter = requestInfo((attributes) => {
    lookups.push(attributes)
    return route
  })
  expect(await filter(exchange)).toBeUndefined()
  expect(lookups).toEqual([exchange.attributes])
  expect(exchange).toMatchObject({
    route,
    namespace: '',
    isLongRunning: false,
    attributes: { resource: 'namespaces', subresource: 'status', name: 'x' },
  })
})

test('passes on a request without a route, with its attributes', async () => {
  const { exchange } = openTestExchange('/apis/none/v1/namespaces/n/things?watch=1')
  expect(await requestInfo(() => undefined)(exchange)).toBeUndefined()
  expect(exchange).toMatchObject({
    namespace: 'n',
    isLongRunning: true,
    attributes: { verb: 'watch', apiGroup: 'none', resource: 'things' },
  })
  expect(exchange.route).toBeUndefined()
})

test.each([
  ['*', 400, '400 Bad Request\n'],
  ['/%ff', 400, '400 Bad Request\n'],
  [
    '/api/v1/watch',
    500,
    'Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch\n',
  ],
])('refuses %s with %d', async (url, status, text) => {
  const response = new Promise<Response>((resolve, reject) => {
    const { incoming, outgoing } = openFetchPair(new Request('https://server/'), { resolve, reject })
    Object.assign(incoming, { url })
    const exchange = new Exchange(incoming, outgoing, {})
    expect(requestInfo(() => undefined)(exchange)).toBe('answered')
  })
  const answer = await response
  expect([answer.status, await answer.text()]).toEqual([status, text])
})
