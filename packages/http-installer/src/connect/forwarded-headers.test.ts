import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { selectForwardedHeaders, toHeaderObject, withoutHopByHop } from './forwarded-headers.ts'

function createIncoming(rawHeaders: string[], remoteAddress = '10.0.0.9'): IncomingMessage {
  return { rawHeaders, socket: { remoteAddress } } as unknown as IncomingMessage
}

test('does not forward credentials for this server', () => {
  const headers = selectForwardedHeaders(
    createIncoming([
      'Host',
      'server:6443',
      'Authorization',
      'Bearer secret',
      'Impersonate-User',
      'root',
      'impersonate-extra-servedResources',
      'all',
      'Sec-WebSocket-Protocol',
      'v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0',
      'X-Forwarded-For',
      '192.0.2.1',
      'X-Own',
      'kept',
    ]),
  )
  expect(headers).toEqual([
    ['Host', 'server:6443'],
    ['Sec-WebSocket-Protocol', 'v4.channel.k8s.io'],
    ['X-Own', 'kept'],
    ['X-Forwarded-For', '192.0.2.1, 10.0.0.9'],
  ])
})

test("reads the host from HTTP/2's pseudo-header", () => {
  expect(selectForwardedHeaders(createIncoming([':method', 'GET', ':authority', 'server', ':path', '/', 'a', 'b'])).slice(0, 2)).toEqual([
    ['Host', 'server'],
    ['a', 'b'],
  ])
})

test('does not forward hop-by-hop headers', () => {
  const headers = [
    ['Connection', 'keep-alive, X-Private'],
    ['x-private', '1'],
    ['Transfer-Encoding', 'chunked'],
    ['Upgrade', 'h2c'],
    ['Set-Cookie', 'a=1'],
    ['set-cookie', 'b=2'],
  ] as const
  expect(toHeaderObject(withoutHopByHop(headers))).toEqual({ 'Set-Cookie': ['a=1', 'b=2'] })
})
