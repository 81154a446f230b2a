import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { afterAll, describe, expect, test } from 'vitest'
import type { Dial } from '../dial-tls.ts'
import { createDialer } from '../dialer.ts'
import type { OutboundAnswer } from '../outbound-request.ts'
import { createKeyPair, startTestServer } from '../test-server.fixture.ts'
import { parseAddress, startHttpProxy } from '../testing/http-proxy.ts'
import type { HttpProxyOptions } from '../testing/http-proxy.ts'
import { createEgressSelector } from './create-egress-selector.ts'
import type { ProxyTransport } from './egress-configuration.ts'
import { createEgressMetrics } from './egress-metrics.ts'

const directory = mkdtempSync(path.join(tmpdir(), 'keelson-egress-'))
afterAll(() => rmSync(directory, { recursive: true }))
const pair = createKeyPair()
const [certificateFile, keyFile] = [path.join(directory, 'crt'), path.join(directory, 'key')]
writeFileSync(certificateFile, pair.certificate)
writeFileSync(keyFile, pair.key)

async function createDial(transport: ProxyTransport): Promise<Dial> {
  const connection = { proxyProtocol: 'HTTPConnect', transport }
  return (await createEgressSelector({ egressSelections: [{ name: 'Cluster', connection }] })).dial
}

async function get(dial: Dial, port: number): Promise<string> {
  const url = `https://hook.test.svc:${port}/`
  using client = createDialer({ dial }).client({ url, network: 'cluster', tls: { authorities: pair.certificate } })
  const answer: OutboundAnswer = await client.request({ headers: { 'x-one': 'one' }, timeoutMs: 20_000 })
  return answer.failed ? answer.message.replace(`Get "${url}": `, '') : answer.body.toString()
}

interface Case {
  readonly proxy: HttpProxyOptions
  readonly transport: (port: number) => ProxyTransport
}
const socket = path.join(directory, 'proxy.sock')
const clientFiles = { clientCert: certificateFile, clientKey: keyFile }
const tls = { ...pair, clientAuthorities: pair.certificate }
const cases: Readonly<Record<string, Case>> = {
  'over TCP': { proxy: {}, transport: (port) => ({ tcp: { url: `http://127.0.0.1:${port}/path` } }) },
  'over TLS': {
    proxy: { tls },
    transport: (port) => ({ tcp: { url: `https://127.0.0.1:${port}`, tlsConfig: { ...clientFiles, caBundle: certificateFile } } }),
  },
  'over TLS with another name': {
    proxy: { tls },
    transport: (port) => ({
      tcp: { url: `https://localhost:${port}`, tlsConfig: { ...clientFiles, caBundle: certificateFile, tlsServerName: 'hook.test.svc' } },
    }),
  },
  'over a Unix socket': { proxy: { socket }, transport: () => ({ uds: { udsName: socket } }) },
}

describe.each(Object.entries(cases))('an HTTP proxy %s', (_name, { proxy: options, transport }) => {
  test.each(['h2', 'http/1.1'] as const)('carries requests over %s, and resolves the name of the server', async (protocol) => {
    await using server = await startTestServer(pair, protocol)
    await using proxy = await startHttpProxy({ ...options, route: (address) => ({ ...parseAddress(address), host: '127.0.0.1' }) })
    expect(await get(await createDial(transport(proxy.port)), server.port)).toBe('one:0')
    expect(proxy.addresses).toEqual([`hook.test.svc:${server.port}`])
  })

  test('refuses a destination', async () => {
    await using proxy = await startHttpProxy({ ...options, route: () => undefined })
    const to = transport(proxy.port)
    const name = to.uds?.udsName ?? /\/\/([^/]*)/.exec(to.tcp!.url!)![1]
    expect(await get(await createDial(to), 443)).toBe(`proxy error from ${name} while dialing hook.test.svc:443, code 403: 403 Forbidden`)
  })
})

test('networks without a proxy are dialed directly', async () => {
  await using server = await startTestServer(pair, 'h2')
  const dial = await createDial({ uds: { udsName: '/nowhere' } })
  for (const network of ['controlplane', 'etcd', 'direct'] as const) {
    const connection = await dial({ host: '127.0.0.1', port: server.port }, { network, signal: AbortSignal.timeout(20_000) })
    connection.destroy()
  }
  expect(server.requests).toEqual([])
})

describe('a proxy that is down or lies', () => {
  test('fails the request', async () => {
    const closed = createServer()
    const port = await listen(closed)
    await new Promise((resolve) => closed.close(resolve))
    await using server = await startTestServer(pair, 'h2')
    expect(await get(await createDial({ uds: { udsName: '/nowhere' } }), server.port)).toBe(
      'dial unix /nowhere: connect: no such file or directory',
    )
    expect(await get(await createDial({ tcp: { url: `http://127.0.0.1:${port}` } }), server.port)).toBe(
      `dial tcp 127.0.0.1:${port}: connect: connection refused`,
    )
    expect(await get(await createDial({ tcp: { url: 'http://proxy' } }), server.port)).toBe(
      'dial tcp: address proxy: missing port in address',
    )
    expect(server.connections).toBe(0)
  })

  test('fails if its certificate is not trusted', async () => {
    await using proxy = await startHttpProxy({ tls })
    const dial = await createDial({ tcp: { url: `https://127.0.0.1:${proxy.port}`, tlsConfig: clientFiles } })
    expect(await get(dial, 443)).toBe('tls: failed to verify certificate: x509: certificate signed by unknown authority')
  })

  const formatFailure = (port: number): string =>
    `reading HTTP response from CONNECT to hook.test.svc:443 via proxy 127.0.0.1:${port} failed: `
  test.each<[answer: string, message: (port: number) => string]>([
    ['', (port) => `${formatFailure(port)}unexpected EOF`],
    ['nonsense\r\n\r\n', (port) => `${formatFailure(port)}malformed HTTP response "nonsense"`],
    ['HTTP/1.1 2x0 OK\r\n\r\n', (port) => `${formatFailure(port)}malformed HTTP status code "2x0"`],
    ['SPDY/9 200 OK\r\n\r\n', (port) => `${formatFailure(port)}malformed HTTP version "SPDY/9"`],
    ['HTTP/1.1 200 OK\r\n\r\nabc', (port) => `unexpected 3 bytes of buffered data from CONNECT proxy "127.0.0.1:${port}"`],
    [
      'HTTP/1.1 100 Continue\r\n\r\n',
      (port) => `proxy error from 127.0.0.1:${port} while dialing hook.test.svc:443, code 100: 100 Continue`,
    ],
    [`HTTP/1.1 200 OK\r\nA: ${'a'.repeat(1_100_000)}`, (port) => `${formatFailure(port)}unexpected EOF`],
  ])('that answers %.20j', async (answer, message) => {
    const server = createServer(
      (client) =>
        void client
          .on('error', () => {})
          .resume()
          .end(answer),
    )
    const port = await listen(server)
    expect(await get(await createDial({ tcp: { url: `http://127.0.0.1:${port}` } }), 443)).toBe(message(port))
    server.close()
  })

  test('that never answers is left when the dial is aborted', async () => {
    let isClosed: (() => void) | undefined
    const closed = new Promise<void>((resolve) => (isClosed = resolve))
    const server = createServer(
      (client) =>
        void client
          .on('error', () => {})
          .resume()
          .on('close', isClosed!),
    )
    const port = await listen(server)
    const dial = await createDial({ tcp: { url: `http://127.0.0.1:${port}` } })
    const signal = AbortSignal.timeout(100)
    await expect(dial({ host: 'a', port: 1 }, { network: 'cluster', signal })).rejects.toThrow()
    await closed
    server.close()
  })
})

test('files of a proxy are checked', async () => {
  const garbage = path.join(directory, 'garbage')
  writeFileSync(garbage, 'garbage')
  const other = path.join(directory, 'other')
  writeFileSync(other, createKeyPair().key)
  const fail = (tlsConfig: object): Promise<string> =>
    createDial({ tcp: { url: 'https://a:1', tlsConfig } }).then(
      () => 'created',
      (error: Error) => error.message.replaceAll(directory, ''),
    )
  const failed = 'failed to create dialer for egressSelection "cluster": failed to '
  expect(await fail({ clientCert: garbage, clientKey: keyFile })).toBe(
    `${failed}read key pair /garbage & /key, got tls: failed to find any PEM data in certificate input`,
  )
  expect(await fail({ clientCert: certificateFile, clientKey: other })).toBe(
    `${failed}read key pair /crt & /other, got tls: private key does not match public key`,
  )
  expect(await fail({ ...clientFiles, caBundle: garbage })).toBe(`${failed}append CA cert to the cert pool`)
})

test('dials are counted', async () => {
  const registry = createMetricsRegistry()
  await using server = await startTestServer(pair, 'h2')
  await using proxy = await startHttpProxy({
    route: (address) => (address.startsWith('a:') ? undefined : { host: '127.0.0.1', port: server.port }),
  })
  const metrics = createEgressMetrics(registry)
  const createConnection = (url: string) => ({ proxyProtocol: 'HTTPConnect', transport: { tcp: { url } } })
  const { dial, hasProxy } = await createEgressSelector(
    {
      egressSelections: [
        { name: 'cluster', connection: createConnection(`http://127.0.0.1:${proxy.port}`) },
        { name: 'etcd', connection: createConnection('http://127.0.0.1:1') },
      ],
    },
    { metrics },
  )
  expect((['cluster', 'etcd', 'controlplane', 'direct'] as const).map(hasProxy)).toEqual([true, true, false, false])
  const signal = AbortSignal.timeout(20_000)
  const tunnel = await dial({ host: 'b', port: 1 }, { network: 'cluster', signal })
  tunnel.destroy()
  await expect(dial({ host: 'a', port: 1 }, { network: 'cluster', signal })).rejects.toThrow('code 403')
  await expect(dial({ host: 'a', port: 1 }, { network: 'etcd', signal })).rejects.toThrow('connection refused')
  const lines = registry.text().split('\n')
  const labels = 'protocol="http_connect",transport="tcp"'
  expect(lines).toContain(`apiserver_egress_dialer_dial_start_total{${labels}} 3`)
  expect(lines).toContain('apiserver_egress_dialer_dial_failure_count{protocol="http_connect",stage="connect",transport="tcp"} 1')
  expect(lines).toContain('apiserver_egress_dialer_dial_failure_count{protocol="http_connect",stage="proxy",transport="tcp"} 1')
  expect(lines).toContain(`apiserver_egress_dialer_dial_duration_seconds_bucket{${labels},le="12.5"} 1`)
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
