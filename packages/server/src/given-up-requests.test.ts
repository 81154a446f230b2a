import { once } from 'node:events'
import { connect } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import type { ServerResponse } from 'node:http'
import {
  createAlwaysAllowPathsAuthorizer,
  createAuthenticatorUnion,
  createBearerTokenAuthenticator,
  createStaticTokens,
} from '@keelson/auth'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server } from './create-server.ts'

const authorization = 'Bearer token'
let server: Server
let client: ClientHttp2Session

beforeAll(async () => {
  const { certificate, key } = (await openOwnCertificates({ store: createMemoryCertificateStore() })).serving
  server = createServer({
    authenticator: createAuthenticatorUnion([
      createBearerTokenAuthenticator(createStaticTokens([['token', { name: 'alice', groups: ['dev'] }]])),
    ]),
    authorizer: createAlwaysAllowPathsAuthorizer(['/*']),
    tls: { certificate, key },
  })
  server.app.get('/watched', (c) => {
    ;(c.env.outgoing as ServerResponse).write('there\n')
    return RESPONSE_ALREADY_SENT
  })
  const { port } = await server.listen(0, '127.0.0.1')
  client = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  await once(client, 'remoteSettings')
})
afterAll(async () => {
  client.destroy()
  await server.close(0)
})

test('cancels many watches of a client at once, and keeps its connection', async () => {
  let receivedGoaway = false
  client.once('goaway', () => (receivedGoaway = true))
  for (let round = 0; round < 6; round++) {
    const watches = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const watch = client.request({ ':path': '/watched', authorization })
        await once(watch, 'response')
        return watch
      }),
    )
    for (const watch of watches) watch.close(8)
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const stream = client.request({ ':path': '/version', authorization })
        const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
        stream.resume()
        await once(stream, 'close')
        return headers[':status']
      }),
    )
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200))
  }
  expect(receivedGoaway).toBe(false)
})
