import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { Destination } from '@keelson/outbound'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueCertificates } from '../kubelet/issue-certificates.ts'
import { startServerWithKubelet } from '../kubelet/server-with-kubelet.ts'
import type { ServerWithKubelet } from '../kubelet/server-with-kubelet.ts'
import { startEtcd } from '../real-parts/etcd-process.ts'
import type { EtcdProcess } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import {
  aggregatedGroups,
  aggregatedNames,
  clusterIP,
  sendThroughUpgrade,
  registerBackend,
  startAggregatedBackend,
} from './aggregated-backend.ts'
import type { AggregatedBackend } from './aggregated-backend.ts'
import { proxyKinds, startProxy } from './start-proxy.ts'
import type { RestartableProxy } from './start-proxy.ts'

const openssl = findOpenssl()
const etcdBinary = findEtcd()
/** Addresses for documentation (RFC 5737). Without the proxy, connections to them would time out. */
const [kubeletHost, etcdHost] = ['192.0.2.1', '192.0.2.2']
const namespace = '/api/v1/namespaces/default'
const longTimeout = { timeout: 60_000, interval: 200 }
const aggregatedPaths = Object.values(aggregatedGroups).map((group) => `/apis/${group}/v1`)

describe.skipIf(openssl === undefined || etcdBinary === undefined).each(proxyKinds)('egress through %s', { timeout: 240_000 }, (kind) => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-egress-'))
  const destinations = new Map<string, Destination>()
  const calls: string[] = []
  let etcd: EtcdProcess
  let proxy: RestartableProxy
  let setup: ServerWithKubelet
  let closeHook: () => void
  let backend: AggregatedBackend
  const request: ServerWithKubelet['client']['request'] = (...args) => setup.client.request(...args)

  beforeAll(async () => {
    const names = {
      proxy: 'IP:127.0.0.1',
      apiserver: 'DNS:apiserver',
      hook: 'DNS:hook.default.svc,DNS:hook.test',
      aggregated: aggregatedNames,
    }
    const certificates = issueCertificates(openssl ?? '', directory, names)
    etcd = await startEtcd(etcdBinary ?? '')
    destinations.set(`${etcdHost}:2379`, { host: '127.0.0.1', port: etcd.port })
    proxy = await startProxy(kind, { directory, certificates, destinations })
    setup = await startServerWithKubelet(openssl ?? '', kubeletHost, [
      `--egress-selector-config-file=${proxy.configFile}`,
      '--storage-backend=etcd3',
      `--etcd-servers=http://${etcdHost}:2379`,
    ])
    destinations.set(`${kubeletHost}:${setup.kubelet.port}`, { host: '127.0.0.1', port: setup.kubelet.port })

    const hook = createServer({ cert: certificates.readText('hook.pem'), key: certificates.readText('hook.key') }, (incoming, response) => {
      void text(incoming).then((body) => {
        calls.push(/^\/\w*/.exec(incoming.url ?? '')?.[0] ?? '')
        const { uid } = (JSON.parse(body) as { request: { uid: string } }).request
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } }))
      })
    })
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
    closeHook = () => {
      hook.close()
      hook.closeAllConnections()
    }
    const hookPort = { host: '127.0.0.1', port: (hook.address() as AddressInfo).port }
    destinations.set('10.0.77.77:443', hookPort)
    destinations.set('hook.test:443', hookPort)
    const spec = { clusterIP: '10.0.77.77', ports: [{ port: 443 }] }
    expect(await request('POST', `${namespace}/services`, { body: { metadata: { name: 'hook' }, spec } })).toMatchObject({ status: 201 })
    const caBundle = Buffer.from(certificates.readText('ca.pem')).toString('base64')
    const createWebhook = (name: string, resource: string, client: object): object => ({
      name,
      clientConfig: { ...client, caBundle },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: [resource] }],
    })
    const webhooks = [
      createWebhook('service.example.com', 'configmaps', { service: { namespace: 'default', name: 'hook', path: '/service' } }),
      createWebhook('url.example.com', 'secrets', { url: 'https://hook.test:443/url' }),
    ]
    const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
    expect(await request('POST', configurations, { body: { metadata: { name: 'hooks' }, webhooks } })).toMatchObject({ status: 201 })

    backend = await startAggregatedBackend(certificates)
    destinations.set(`${clusterIP}:443`, { host: '127.0.0.1', port: backend.port })
    destinations.set(`localhost:${backend.port}`, { host: '127.0.0.1', port: backend.port })
    await registerBackend(setup.client, backend, certificates)
  }, 120_000)

  afterAll(async () => {
    closeHook?.()
    backend?.[Symbol.dispose]()
    await proxy?.start()
    await setup?.[Symbol.asyncDispose]()
    await proxy?.stop()
    await etcd?.[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true })
  })

  const create = (resource: string): ReturnType<typeof request> =>
    request('POST', `${namespace}/${resource}?dryRun=All`, { body: { metadata: { generateName: 'a' } } })
  const readLog = (): ReturnType<typeof request> => request('GET', `${namespace}/pods/p/log`)

  test('etcd, webhooks, kubelets and aggregated API servers are reached', async () => {
    await expect
      .poll(async () => [(await create('configmaps')).status, calls], longTimeout)
      .toEqual([201, expect.arrayContaining(['/service'])])
    await expect.poll(async () => [(await create('secrets')).status, calls], longTimeout).toEqual([201, expect.arrayContaining(['/url'])])
    for (const group of aggregatedPaths) {
      await expect.poll(async () => (await request('GET', group)).status, longTimeout).toBe(200)
      expect(await request('GET', `${group}/things`)).toMatchObject({ status: 200 })
    }
    expect(backend.calls).toEqual(expect.arrayContaining(aggregatedPaths.map((group) => `${group}/things`)))
    setup.kubelet.log('a line')
    expect(await readLog()).toMatchObject({ status: 200, text: expect.stringContaining('a line') })
    expect(new Set(proxy.addresses)).toEqual(new Set(destinations.keys()))
  })

  test.each(['SPDY/3.1', 'websocket'])('an aggregated call changes to %s', async (protocol) => {
    proxy.forget()
    for (const group of aggregatedPaths) {
      const stream = `${group}/namespaces/default/things/a/stream`
      expect(await sendThroughUpgrade(setup.server, stream, { protocol, text: 'x'.repeat(100_000) })).toBe(
        `${protocol}: ${'x'.repeat(100_000)}`,
      )
      expect(backend.calls).toContain(stream)
    }
    // Each of these connections is a new one.
    expect(proxy.addresses).toEqual(expect.arrayContaining([`${clusterIP}:443`, `localhost:${backend.port}`]))
  })

  test('dials are counted', async () => {
    const { text: metrics } = await request('GET', '/metrics')
    const [protocol, transport] = [kind.startsWith('GRPC') ? 'grpc' : 'http_connect', kind.endsWith('TLS') ? 'tcp' : 'uds']
    expect(metrics).toMatch(
      new RegExp(`^apiserver_egress_dialer_dial_start_total\\{protocol="${protocol}",transport="${transport}"\\} \\d+$`, 'm'),
    )
  })

  test('a destination that the proxy refuses is not reached', async () => {
    const kubelet = `${kubeletHost}:${setup.kubelet.port}`
    const destination = destinations.get(kubelet)!
    destinations.delete(kubelet)
    const { status, text: body } = await readLog()
    expect([status, body]).toEqual([
      500,
      expect.stringMatching(kind.startsWith('GRPC') ? 'no agent available' : /proxy error from .* code 403: 403 Forbidden/),
    ])
    destinations.set(kubelet, destination)
    expect(await readLog()).toMatchObject({ status: 200 })
  })

  test('while the proxy is down all calls fail, and afterwards they succeed', async () => {
    await proxy.stop()
    const before = [setup.kubelet.requests.length, calls.length, backend.calls.length]
    const write = await request('POST', `${namespace}/events`, {
      body: { metadata: { name: 'e' }, involvedObject: { namespace: 'default' } },
    })
    expect(write.status).toBeGreaterThanOrEqual(500)
    expect(await request('GET', '/readyz/etcd')).toMatchObject({ status: 500 })
    const log = await readLog()
    expect(log.status).toBe(500)
    for (const resource of ['configmaps', 'secrets']) expect(await create(resource)).toMatchObject({ status: 500 })
    for (const group of aggregatedPaths) {
      expect(await request('GET', `${group}/things`)).toMatchObject({ status: 503 })
      expect(await sendThroughUpgrade(setup.server, `${group}/things`, { protocol: 'SPDY/3.1', text: 'x' })).toBe('503')
    }
    expect([setup.kubelet.requests.length, calls.length, backend.calls.length]).toEqual(before)
    await proxy.start()
    await expect.poll(async () => (await request('GET', '/readyz/etcd')).status, longTimeout).toBe(200)
    await expect.poll(async () => (await readLog()).status, longTimeout).toBe(200)
    for (const resource of ['configmaps', 'secrets']) await expect.poll(async () => (await create(resource)).status, longTimeout).toBe(201)
    for (const group of aggregatedPaths) {
      await expect.poll(async () => (await request('GET', `${group}/things`)).status, longTimeout).toBe(200)
    }
  })
})
