import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createDialer, buildServiceUrl } from './dialer.ts'
import type { ClientTarget, DialerOptions } from './dialer.ts'
import type { OutboundAnswer, OutboundRequest } from './outbound-request.ts'
import { createKeyPair, createSignedPair, startTestServer } from './test-server.fixture.ts'

const pair = createKeyPair()
const tls = { authorities: pair.certificate }

async function sendRequest(
  target: ClientTarget,
  request: Partial<OutboundRequest> = {},
  options: DialerOptions = {},
): Promise<OutboundAnswer> {
  using client = createDialer(options).client(target)
  return await client.request({ timeoutMs: 20_000, ...request })
}
const formatAnswer = (answer: OutboundAnswer): string => (answer.failed ? answer.message : `${answer.status} ${answer.body.toString()}`)

describe.each(['h2', 'http/1.1'] as const)('a client over %s', (protocol) => {
  test('sends method, path, headers and body, and reuses connections', async () => {
    await using server = await startTestServer(pair, protocol)
    using client = createDialer({ maxConnections: 3 }).client({ url: `https://127.0.0.1:${server.port}/base?a=1`, tls })
    const request = { method: 'POST', headers: { 'x-one': 'one' }, body: 'x'.repeat(100_000), timeoutMs: 20_000 }
    expect(formatAnswer(await client.request(request))).toBe('200 one:100000')
    const answers = await Promise.all(Array.from({ length: 30 }, () => client.request({ ...request, path: '/other', body: '' })))
    expect(new Set(answers.map(formatAnswer))).toEqual(new Set(['200 one:0']))
    expect(server.requests[0]).toMatchObject({ path: '/base?a=1', version: protocol === 'h2' ? '2.0' : '1.1' })
    expect(server.requests[1]?.path).toBe('/other')
    expect(server.connections).toBeLessThanOrEqual(protocol === 'h2' ? 1 : 3)
  })

  test('aborts a request at its timeout or signal, without affecting other requests', async () => {
    await using server = await startTestServer(pair, protocol)
    const url = `https://127.0.0.1:${server.port}`
    using client = createDialer().client({ url, tls })
    const hanging = ['/hang', '/trickle'].map((path) => client.request({ method: 'POST', path, timeoutMs: 300 }))
    expect(formatAnswer(await client.request({ headers: { 'x-one': 'two' }, timeoutMs: 20_000 }))).toBe('200 two:0')
    expect((await Promise.all(hanging)).map(formatAnswer)).toEqual(
      ['/hang', '/trickle'].map((path) => `Post "${url}${path}": context deadline exceeded`),
    )
    const controller = new AbortController()
    const canceled = client.request({ path: '/hang', timeoutMs: 20_000, signal: controller.signal })
    controller.abort()
    expect(formatAnswer(await canceled)).toBe(`Get "${url}/hang": context canceled`)
  })

  test('limits the size of responses, reports broken connections, and does not follow redirects', async () => {
    await using server = await startTestServer(pair, protocol)
    const url = `https://127.0.0.1:${server.port}`
    expect(formatAnswer(await sendRequest({ url, tls }, { path: '/big', maxBytes: 100_000 }))).toBe(
      `Get "${url}/big": the answer is larger than 100000 bytes`,
    )
    expect(await sendRequest({ url, tls }, { path: '/reset' })).toMatchObject({ failed: true, error: { kind: 'closed' } })
    expect(formatAnswer(await sendRequest({ url, tls }, { path: '/redirect' }))).toBe('302 ')
  })

  test('opens new connections for another client certificate, and lets running requests finish', async () => {
    await using server = await startTestServer(pair, protocol, true)
    let certificate = pair.certificate
    const readCertificate = async () => ({ certificate, key: pair.key })
    using client = createDialer().client({ url: `https://127.0.0.1:${server.port}`, tls, readCertificate })
    const request = { headers: { 'x-one': 'one' }, timeoutMs: 20_000 }
    for (let i = 0; i < 3; i++) expect(formatAnswer(await client.request(request))).toBe('200 one:0')
    expect(server.connections).toBe(1)
    const controller = new AbortController()
    const running = client.request({ ...request, path: '/hang', signal: controller.signal })
    await expect.poll(() => server.requests.length).toBe(4)
    certificate += '\n'
    for (let i = 0; i < 3; i++) expect(formatAnswer(await client.request(request))).toBe('200 one:0')
    expect(server.connections).toBe(2)
    controller.abort()
    expect(formatAnswer(await running)).toContain('context canceled')
    expect(server.requests.every((each) => each.certificate === 'hook')).toBe(true)
  })

  test('fails while there is no client certificate', async () => {
    await using server = await startTestServer(pair, protocol)
    const readCertificate = (): Promise<never> => Promise.reject(new Error('getting credentials: no'))
    const url = `https://127.0.0.1:${server.port}/`
    expect(formatAnswer(await sendRequest({ url, tls, readCertificate }))).toBe(`Get "${url}": getting credentials: no`)
  })

  test('reconnects after the server closed all connections', async () => {
    await using server = await startTestServer(pair, protocol)
    using client = createDialer().client({ url: `https://127.0.0.1:${server.port}`, tls })
    const get = () => client.request({ headers: { 'x-one': 'one' }, timeoutMs: 20_000 })
    expect(formatAnswer(await get())).toBe('200 one:0')
    server.drop()
    await expect.poll(async () => formatAnswer(await get())).toBe('200 one:0')
    expect(server.connections).toBeGreaterThan(1)
  })

  test('presents a client certificate', async () => {
    await using server = await startTestServer(pair, protocol, true)
    const target = { url: `https://127.0.0.1:${server.port}`, tls: { ...tls, certificate: pair.certificate, key: pair.key } }
    expect(formatAnswer(await sendRequest(target, { headers: { 'x-one': 'one' } }))).toBe('200 one:0')
    expect(server.requests[0]?.certificate).toBe('hook')
  })
})

test('completes running requests after a GOAWAY, and retries refused requests', async () => {
  await using server = await startTestServer(pair, 'h2')
  using client = createDialer().client({ url: `https://127.0.0.1:${server.port}`, tls })
  expect(formatAnswer(await client.request({ method: 'POST', path: '/refuse', timeoutMs: 20_000 }))).toBe('200 at last')
  expect(formatAnswer(await client.request({ method: 'POST', path: '/goodbye', timeoutMs: 20_000 }))).toBe('200 goodbye')
  expect(formatAnswer(await client.request({ method: 'POST', headers: { 'x-one': 'one' }, timeoutMs: 20_000 }))).toBe('200 one:0')
  expect(server.connections).toBe(2)
})

test('dials the address from the resolver, and expects a certificate for the service name', async () => {
  await using server = await startTestServer(pair, 'h2')
  const service = { namespace: 'test', name: 'hook', port: 443 }
  const dialed: unknown[] = []
  const { dialDirectly } = await import('./dial-tls.ts')
  const options: DialerOptions = {
    resolver: { resolve: () => ({ host: '127.0.0.1', port: server.port }) },
    dial: (destination, { network, signal }) => {
      dialed.push([destination, network])
      return dialDirectly(destination, { network, signal })
    },
  }
  const url = buildServiceUrl(service, 'admit')
  expect(url).toBe('https://hook.test.svc:443/admit')
  expect(formatAnswer(await sendRequest({ url, service, tls }, { headers: { 'x-one': 'one' } }, options))).toBe('200 one:0')
  expect(dialed).toEqual([[{ host: '127.0.0.1', port: server.port }, 'cluster']])
  const other = { ...service, name: 'other' }
  expect(formatAnswer(await sendRequest({ url: buildServiceUrl(other), service: other, tls }, {}, options))).toBe(
    'Get "https://other.test.svc:443/": tls: failed to verify certificate: x509: certificate is valid for hook.test.svc, not other.test.svc',
  )
  const failing: DialerOptions = {
    resolver: {
      resolve: () => {
        throw new Error('no endpoints available for service "hook"')
      },
    },
  }
  expect(formatAnswer(await sendRequest({ url, service, tls }, { method: 'POST' }, failing))).toBe(
    'Post "https://hook.test.svc:443/admit": no endpoints available for service "hook"',
  )
})

describe('connection errors have the messages of Go', () => {
  test('for refused connections, unknown hosts and servers without TLS', async () => {
    const silent = createServer((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    expect(formatAnswer(await sendRequest({ url: `https://127.0.0.1:${port}/`, tls }))).toBe(
      `Get "https://127.0.0.1:${port}/": http: server gave HTTP response to HTTPS client`,
    )
    await new Promise((resolve) => silent.close(resolve))
    expect(formatAnswer(await sendRequest({ url: `https://127.0.0.1:${port}/` }, { method: 'POST' }))).toBe(
      `Post "https://127.0.0.1:${port}/": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    )
    expect(formatAnswer(await sendRequest({ url: 'https://nowhere.invalid/' }))).toBe(
      'Get "https://nowhere.invalid/": dial tcp: lookup nowhere.invalid: no such host',
    )
  })

  test('for certificates that are neither in the bundle nor signed by one of it', async () => {
    const signed = createSignedPair()
    await using server = await startTestServer(signed, 'h2')
    const url = `https://127.0.0.1:${server.port}/`
    const headers = { 'x-one': 'one' }
    expect(formatAnswer(await sendRequest({ url, tls: { authorities: signed.certificate } }, { headers }))).toBe('200 one:0')
    expect(formatAnswer(await sendRequest({ url, tls: { authorities: pair.certificate } }, { headers }))).toContain(
      'signed by unknown authority',
    )
  })

  test('for invalid certificates', async () => {
    const verify = 'tls: failed to verify certificate: x509: '
    await using server = await startTestServer(pair, 'h2')
    const url = `https://127.0.0.1:${server.port}/`
    expect(formatAnswer(await sendRequest({ url }))).toBe(`Get "${url}": ${verify}certificate signed by unknown authority`)
    expect(formatAnswer(await sendRequest({ url, tls: { ...tls, serverName: 'a.b' } }))).toBe(
      `Get "${url}": ${verify}certificate is valid for hook.test.svc, not a.b`,
    )
    expect(formatAnswer(await sendRequest({ url, tls: { insecureSkipVerify: true } }, { headers: { 'x-one': 'one' } }))).toBe('200 one:0')
    const nameless = createKeyPair('')
    await using old = await startTestServer(nameless, 'h2')
    const target = { url: `https://127.0.0.1:${old.port}/`, tls: { authorities: nameless.certificate, serverName: 'hook' } }
    expect(formatAnswer(await sendRequest(target))).toContain(`${verify}certificate relies on legacy Common Name field, use SANs instead`)
  })
})

test('a client rejects requests above maxRequests', async () => {
  await using server = await startTestServer(pair, 'h2')
  using client = createDialer({ maxRequests: 1 }).client({ url: `https://127.0.0.1:${server.port}`, tls })
  const controller = new AbortController()
  const first = client.request({ path: '/hang', timeoutMs: 20_000, signal: controller.signal })
  expect(formatAnswer(await client.request({ timeoutMs: 20_000 }))).toContain('too many requests to this server are running')
  controller.abort()
  await first
})
