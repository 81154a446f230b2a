import type { IncomingHttpHeaders } from 'node:http'
import { expect, it } from 'vitest'
import { createBearerTokenAuthenticator, createStaticTokens, createWebSocketTokenAuthenticator } from './index.ts'

const authenticator = createWebSocketTokenAuthenticator(
  createBearerTokenAuthenticator(createStaticTokens([['token-é', { name: 'alice', groups: [] }]])),
)
const offer = (token: string): string => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`

async function authenticate(protocols: string, more: IncomingHttpHeaders = {}) {
  const headers: IncomingHttpHeaders = {
    connection: 'keep-alive, Upgrade',
    upgrade: 'WebSocket',
    'sec-websocket-protocol': protocols,
    ...more,
  }
  const result = await authenticator.authenticate({ headers, path: '/', peerCertificate: undefined })
  return { result, left: headers['sec-websocket-protocol'] }
}

it('authenticates by a token among the subprotocols, and removes that subprotocol', async () => {
  expect(await authenticate(`v5.channel.k8s.io, ${offer('token-é')}, other`)).toMatchObject({
    result: { outcome: 'authenticated', user: { name: 'alice' } },
    left: 'v5.channel.k8s.io,other',
  })
})

it.each([
  [`a, ${offer('wrong')}`, 'invalid bearer token'],
  [`a, ${offer('token-é')}, ${offer('token-é')}`, 'multiple base64.bearer.authorization tokens specified'],
  ['a, base64url.bearer.authorization.k8s.io.%%%', 'invalid base64.bearer.authorization token encoding'],
  ['a, base64url.bearer.authorization.k8s.io._w', 'invalid base64.bearer.authorization token'],
  [offer('token-é'), 'missing additional subprotocol'],
])('rejects the subprotocols %s', async (protocols, reason) => {
  expect((await authenticate(protocols)).result).toEqual({ outcome: 'rejected', reason })
})

it('ignores handshakes without a token, and requests that are not WebSocket handshakes', async () => {
  expect((await authenticate('a, b')).result.outcome).toBe('unknown')
  expect((await authenticate(`a, ${offer('token-é')}`, { upgrade: 'h2c' })).result.outcome).toBe('unknown')
})
