import { createAuthenticatorUnion, createAnonymousAuthenticator, createBearerTokenAuthenticator, createStaticTokens } from '@keelson/auth'
import { createAlwaysAllowPathsAuthorizer, createAuthorizerUnion, createPrivilegedGroupsAuthorizer } from '@keelson/auth'
import { sendBytes } from '@keelson/exchange'
import { getExchange, responseSent, withExchange } from '@keelson/http-installer'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server } from './create-server.ts'

let server: Server
/** Number of bytes that the handler wrote for the last request to /api/v1/stream. */
let written = 0
const bugs: string[] = []
let ended: Promise<string>

beforeAll(async () => {
  const { serving } = await openOwnCertificates({ store: createMemoryCertificateStore() })
  server = createServer({
    tls: serving,
    log: (level, text, fields) => level === 0 && bugs.push(`${text} ${String(fields?.['err'])}`),
    authenticator: createAuthenticatorUnion(
      [createBearerTokenAuthenticator(createStaticTokens([['root', { name: 'admin', groups: ['system:masters'] }]]))],
      { anonymous: createAnonymousAuthenticator() },
    ),
    authorizer: createAuthorizerUnion(
      createPrivilegedGroupsAuthorizer('system:masters', 'dev'),
      createAlwaysAllowPathsAuthorizer(['/livez', '/whoami']),
    ),
  })
  const whoami = withExchange((exchange) => sendBytes(exchange, 200, {}, JSON.stringify(exchange.user)))
  server.app.get('/whoami', whoami)
  const warned = withExchange((exchange) => {
    exchange.warn('one')
    exchange.warn('two')
    sendBytes(exchange, 200, {}, 'ok')
  })
  server.app.get('/api/v1/warned', warned)
  server.app.get('/api/v1/bug', () => {
    throw new Error('secret inside')
  })
  server.app.get('/api/v1/plain', () => new Response('made by hand', { status: 418 }))
  server.app.get('/api/v1/broken', (c) => {
    ;(c.env.outgoing as ServerResponse).write('half')
    throw new Error('secret inside')
  })
  server.app.post('/api/v1/echo', async (c) => {
    let body = ''
    for await (const chunk of c.env.incoming as IncomingMessage) body += String(chunk)
    sendBytes(getExchange(c), 201, {}, body)
    return responseSent
  })
  server.app.get('/api/v1/stream', async (c) => {
    written = 0
    const outgoing = c.env.outgoing as ServerResponse
    const { signal } = getExchange(c)
    ended = new Promise((resolve) => signal.addEventListener('abort', () => resolve((signal.reason as Error).name)))
    outgoing.writeHead(200, ['content-type', 'text/plain']).flushHeaders()
    const chunk = new Uint8Array(10_000).fill(65)
    while (!outgoing.destroyed && written < 2_000_000) {
      written += chunk.length
      // Overwrites the buffer after it was sent, because the server reuses buffers too.
      const drained = new Promise<void>((resolve) => {
        if (outgoing.write(chunk, () => resolve())) return
        outgoing.once('drain', resolve).once('close', resolve)
      })
      await drained
      chunk.fill(65 + ((written / 10_000) % 26))
    }
    outgoing.end()
    return RESPONSE_ALREADY_SENT
  })
})
afterAll(() => server.close(0))

const admin = { headers: { authorization: 'Bearer root' } }

describe.each([
  ['server.fetch', (path: string, init?: RequestInit) => server.fetch(path, init)],
  ['server.app.request', async (path: string, init?: RequestInit) => server.app.request(path, init)],
  ['server.app.fetch', async (path: string, init?: RequestInit) => server.app.fetch(new Request(`https://anywhere${path}`, init))],
])('%s, without listen', (_name, ask) => {
  test('authenticates by bearer token, and treats a request without one as anonymous', async () => {
    expect(await (await ask('/whoami', admin)).json()).toEqual({ name: 'admin', groups: ['system:masters', 'system:authenticated'] })
    expect(await (await ask('/whoami')).json()).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] })
    expect((await ask('/whoami', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401)
    expect((await ask('/metrics')).status).toBe(403)
  })

  test('responds with status, headers and body', async () => {
    const answer = await ask('/version', admin)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(answer.headers.get('content-length')).toBe(String((await answer.clone().text()).length))
    expect(answer.headers.get('audit-id')).toMatch(/^[\da-f-]{36}$/)
    expect(await answer.json()).toHaveProperty('gitVersion')
    expect(await (await ask('/livez')).text()).toBe('ok')
    expect(await (await ask('/metrics', admin)).text()).toContain('apiserver_request_total')
    expect((await ask('/api/v1/warned', admin)).headers.get('warning')).toBe('299 - "one", 299 - "two"')
    const short = await ask('/api/v1/plain', admin)
    expect([short.status, await short.text()]).toEqual([418, 'made by hand'])
    const head = await ask('/api/v1/warned', { method: 'HEAD', ...admin })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await ask('/nowhere', admin)).status).toBe(404)
  })

  test('passes complete and streamed request bodies to the handler', async () => {
    const text = await ask('/api/v1/echo', { method: 'POST', body: 'häppchen', ...admin })
    expect([text.status, await text.text()]).toEqual([201, 'häppchen'])
    const body = new ReadableStream({
      start(controller) {
        for (const piece of ['a', 'b', 'c']) controller.enqueue(new TextEncoder().encode(piece))
        controller.close()
      },
    })
    expect(await (await ask('/api/v1/echo', { method: 'POST', body, duplex: 'half', ...admin })).text()).toBe('abc')
  })

  test('hides internal errors, and aborts a response that has started', async () => {
    const bug = await ask('/api/v1/bug', admin)
    expect(bug.status).toBe(500)
    expect(await bug.text()).not.toContain('secret')
    await expect((await ask('/api/v1/broken', admin)).text()).rejects.toThrow('the server aborted the response')
  })

  test('writes a stream no faster than the reader reads', async () => {
    const answer = await ask('/api/v1/stream', admin)
    await new Promise((resolve) => setImmediate(resolve))
    expect(written).toBeLessThan(300_000)
    const body = new Uint8Array(await answer.arrayBuffer())
    expect(body).toHaveLength(2_000_000)
    for (let i = 0; i < 200; i++) expect(body[i * 10_000]).toBe(65 + (i % 26))
  })

  test('ends the request when the reader cancels the body', async () => {
    const answer = await ask('/api/v1/stream', admin)
    await answer.body!.cancel()
    expect(await ended).toBe('ClientGoneError')
  })

  test('ends the request when its signal aborts', async () => {
    const controller = new AbortController()
    const answer = await ask('/api/v1/stream', { signal: controller.signal, ...admin })
    const text = answer.text()
    controller.abort()
    await expect(text).rejects.toMatchObject({ name: 'AbortError' })
    expect(await ended).toBe('ClientGoneError')
    await expect(ask('/api/v1/stream', { signal: AbortSignal.abort(), ...admin })).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('rejects if reading the request body fails', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('torn')) })
    await expect(ask('/api/v1/echo', { method: 'POST', body, duplex: 'half', ...admin })).rejects.toThrow('torn')
    expect(bugs.join()).not.toContain('torn')
  })
})

describe('server.fetch', () => {
  const fetchWhoAmI = async (init: Parameters<Server['fetch']>[1]): Promise<unknown> => (await server.fetch('/whoami', init)).json()

  test("uses the caller's user, whatever credentials the request has", async () => {
    const user = { name: 'alice', groups: ['dev'] }
    expect(await fetchWhoAmI({ user })).toEqual({ name: 'alice', groups: ['dev', 'system:authenticated'] })
    expect(await fetchWhoAmI({ user, ...admin })).toMatchObject({ name: 'alice' })
    expect(await fetchWhoAmI({ user: { name: 'bob' } })).toEqual({ name: 'bob', groups: ['system:authenticated'] })
    expect((await server.fetch('/metrics', { user: { name: 'bob' } })).status).toBe(403)
    expect((await server.fetch(new Request('https://x/metrics'), { user })).status).toBe(200)
  })

  test('ignores user names in the headers of a request', async () => {
    const request = Object.assign(new Request('https://x/whoami', { headers: { user: 'admin' } }), { user: { name: 'admin' } })
    expect(await (await server.fetch(request)).json()).toMatchObject({ name: 'system:anonymous' })
  })

  test('rejects a body that was already read', async () => {
    const request = new Request('https://x/api/v1/echo', { method: 'POST', body: 'a', ...admin })
    await request.text()
    await expect(server.fetch(request)).rejects.toThrow(TypeError)
  })

  test('fails open requests when the server closes', async () => {
    const { serving } = await openOwnCertificates({ store: createMemoryCertificateStore() })
    const authorizer = createPrivilegedGroupsAuthorizer('system:masters')
    const otherServer = createServer({ tls: serving, authenticator: createAuthenticatorUnion([]), authorizer })
    otherServer.app.get('/hangs', (c) => {
      ;(c.env.outgoing as ServerResponse).write('begun')
      return RESPONSE_ALREADY_SENT
    })
    const hanging = await otherServer.fetch('/hangs', { user: { name: 'a', groups: ['system:masters'] } })
    await otherServer.close(0)
    await expect(hanging.text()).rejects.toThrow('aborted the response')
    expect((await otherServer.fetch('/version')).status).toBe(503)
  })
})
