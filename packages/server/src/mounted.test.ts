import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createAnonymousAuthenticator, createAuthenticatorUnion, createAlwaysAllowPathsAuthorizer } from '@keelson/auth'
import { getExchange } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server } from './create-server.ts'

let server: Server
let outer: Hono<InstallerEnv>
let listener: http.Server

beforeAll(async () => {
  const { serving } = await openOwnCertificates({ store: createMemoryCertificateStore() })
  server = createServer({
    tls: serving,
    authenticator: createAuthenticatorUnion([], { anonymous: createAnonymousAuthenticator() }),
    authorizer: createAlwaysAllowPathsAuthorizer(['/livez', '/open/*']),
  })
  server.app.get('/open/user', (c) => c.text(getExchange(c).user.name))
  outer = new Hono<InstallerEnv>()
  outer.use(async (c, next) => {
    await next()
    if (c.req.query('tagged') !== undefined) c.header('x-outer', 'yes')
  })
  outer.get('/own', (c) => c.text('own'))
  outer.route('/', server.app)
  const handle = getRequestListener(outer.fetch, { overrideGlobalObjects: false })
  listener = http.createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  listener.close()
  await server.close(0)
})

/** Sends a request for a path over a socket, so that "." and ".." segments are not resolved. */
function requestOverSocket(path: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    http
      .get({ port: (listener.address() as AddressInfo).port, path, agent: false }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        answer.on('end', () => resolve({ status: answer.statusCode!, text }))
      })
      .on('error', reject)
  })
}

const withoutSocket = async (path: string): Promise<{ readonly status: number; readonly text: string }> => {
  const answer = await outer.request(path)
  return { status: answer.status, text: await answer.text() }
}

describe.each([
  ['over a socket of @hono/node-server', requestOverSocket],
  ['without a socket', withoutSocket],
])('the app of a server mounted in another Hono app %s', (_, get) => {
  test("serves the outer app's own routes without filters", async () => {
    expect(await get('/own')).toEqual({ status: 200, text: 'own' })
  })

  test('applies its filters: serves an allowed request, and answers 403 to others', async () => {
    expect(await get('/livez')).toEqual({ status: 200, text: 'ok' })
    expect(await get('/open/user')).toEqual({ status: 200, text: 'system:anonymous' })
    expect((await get('/version')).status).toBe(403)
    expect((await get('/nothing')).status).toBe(403)
  })
})

test('lets middleware of the outer app see the response', async () => {
  const answer = await outer.request('/livez?tagged')
  expect([answer.status, answer.headers.get('x-outer')]).toEqual([200, 'yes'])
})

test.each(['/open/../version', '/open/%2e%2e/version'])('does not serve %s, which the outer app reads as another path', async (path) => {
  const { status, text } = await requestOverSocket(path)
  expect([403, 404]).toContain(status)
  expect(text).not.toContain('gitVersion')
})
