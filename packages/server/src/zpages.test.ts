import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { decodeCbor, encodeCborDocument } from '@keelson/apimachinery/cbor'
import * as cbor from '@keelson/apimachinery/cbor'
import type { ExchangeServices } from '@keelson/exchange'
import { createExchanges } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { registerBuildInfo, getVersionInfo } from './version.ts'
import { createHealthMetrics } from './health.ts'
import { installZPages } from './zpages.ts'

function createPages(services: ExchangeServices = {}): (path: string, accept?: string) => Promise<Response> {
  const app = new Hono<InstallerEnv>()
  app.use(createExchanges(app, { user: { name: 'a', groups: [] }, ...services }))
  const listPaths = (): string[] => ['/metrics', '/api/v1', '/healthz/ping', '/healthz', '/openapi/v2']
  const installed = installZPages(app, {
    componentName: 'kube-apiserver',
    version: getVersionInfo(),
    listPaths: listPaths,
    flagz: () => ({ v: '2', 'secure-port': '6443' }),
  })
  expect(installed).toEqual(['/flagz', '/statusz'])
  return async (path, accept) => await app.request(path, accept === undefined ? {} : { headers: { accept } })
}

it('serves the pages as text', async () => {
  const openPage = createPages()
  for (const accept of [undefined, '*/*', 'text/plain', 'text/html, */*;q=0.1']) {
    const answer = await openPage('/statusz', accept)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await answer.text()).toMatch(
      /^\nkube-apiserver statusz\nWarning: .*\n\nStarted: .*\nUp: 0 hr 00 min \d\d sec\n(.*\n)*Paths: \/healthz \/metrics\n$/,
    )
  }
  expect(await (await openPage('/flagz')).text()).toMatch(/flagz\n.*\n\nsecure-port: 6443\nv: 2\n$/)
})

it('serves documents to clients that request them by kind and version', async () => {
  const openPage = createPages({ cbor })
  const flags = await openPage('/flagz', 'application/json;v=v1beta1;g=config.k8s.io;as=Flagz')
  expect(flags.headers.get('content-type')).toBe('application/json;g=config.k8s.io;v=v1beta1;as=Flagz')
  expect(await flags.json()).toEqual({
    kind: 'Flagz',
    apiVersion: 'config.k8s.io/v1beta1',
    metadata: { name: 'kube-apiserver' },
    flags: { 'secure-port': '6443', v: '2' },
  })
  const old = await openPage('/statusz', 'application/yaml;v=v1alpha1;g=config.k8s.io;as=Statusz')
  expect(old.headers.get('warning')).toContain('deprecated')
  expect(await old.text()).toContain('binaryVersion: 1.36.')
  const binary = await openPage('/flagz', 'application/cbor;v=v1beta1;g=config.k8s.io;as=Flagz')
  const bytes = new Uint8Array(await binary.arrayBuffer())
  expect(decodeCbor(bytes)).toMatchObject({ kind: 'Flagz' })
  expect(bytes.subarray(0, 3)).toEqual(new Uint8Array(encodeCborDocument(null).subarray(0, 3)))
})

it.each([
  'application/json',
  'application/vnd.kubernetes.protobuf',
  'application/json;v=v1;g=config.k8s.io;as=Statusz',
  'application/cbor;v=v1beta1;g=config.k8s.io;as=Statusz',
])('refuses %s', async (accept) => {
  const answer = await createPages()('/statusz', accept)
  expect(answer.status).toBe(406)
})

it('exposes metrics of health checks and of the version', () => {
  const registry = createMetricsRegistry()
  const health = createHealthMetrics()
  health.onChecked('livez', 'ping', true)
  health.onChecked('livez', 'ping', false)
  registerBuildInfo(registry, getVersionInfo())
  const page = [...health.page.collect()].join('')
  expect(page).toContain('kubernetes_healthcheck{name="ping",type="livez"} 0\n')
  expect(page).toContain('kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1\n')
  expect(registry.text()).toMatch(/kubernetes_build_info\{.*git_version="v1\.36\.4\+keelson".*\} 1\n/)
})
