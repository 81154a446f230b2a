import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startKeelsonProcess } from '../keelson-process.ts'
import type { KeelsonProcess } from '../keelson-process.ts'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
import { startEtcd } from '../real-parts/etcd-process.ts'
import type { EtcdProcess } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'
import { findKubeApiserver } from '../real-parts/find-kube-apiserver.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import { startKubeApiserver } from '../real-parts/kube-apiserver-process.ts'
import { startAdmissionHook } from './admission-hook.ts'
import type { AdmissionHook } from './admission-hook.ts'
import { startCollector } from './collector-process.ts'
import type { CollectorProcess } from './collector-process.ts'
import { traceRequests } from './traced-requests.ts'

const openssl = findOpenssl()
const etcdProgram = findEtcd()
const kubeApiserver = findKubeApiserver()
const program =
  openssl === undefined || etcdProgram === undefined
    ? undefined
    : await buildGoDirectory({ subject: 'the OpenTelemetry collector', name: 'collector', url: new URL('collector/', import.meta.url) })

/** The spans of kube-apiserver 1.36.4 for the same requests. */
const recorded = readFileSync(new URL('kube-apiserver-spans.txt', import.meta.url), 'utf8')

/** Returns the recorded spans with the known differences: what this server does not do, or does otherwise. */
function expectDifferences(spans: string): string {
  return (
    spans
      // Go's lists have to grow.
      .replaceAll(/^ *- Resized result\n/gm, '')
      // Keys have the prefix of the store, and keys of lists end with a slash.
      .replaceAll(/key=(\/[^,}]+)/g, 'key=/registry$1')
      .replaceAll(/(List\([^\n]*key=[^,}]+)/g, '$1/')
      // Go's client names HTTP/1.1 for all requests, before it knows the protocol.
      .replaceAll(/(Client: HTTP POST \{[^}]*)network\.protocol\.version=1\.1, /g, '$1')
  )
}

describe.skipIf(program === undefined)('traces of requests at an OpenTelemetry collector', { timeout: 240_000 }, () => {
  let collector: CollectorProcess
  let etcd: EtcdProcess
  let hook: AdmissionHook

  beforeAll(async () => {
    collector = await startCollector(program!)
    etcd = await startEtcd(etcdProgram!)
    hook = await startAdmissionHook(openssl!)
  }, 120_000)

  afterAll(async () => {
    await hook?.[Symbol.asyncDispose]()
    await etcd?.[Symbol.asyncDispose]()
    await collector?.[Symbol.asyncDispose]()
  })

  test('have the spans, attributes and events of kube-apiserver', async () => {
    const flags = [`--tracing-config-file=${collector.configFile}`, `--etcd-servers=${etcd.url}`]
    await using server: KeelsonProcess = await startKeelsonProcess({ flags, controllers: 'none' })
    const spans = await traceRequests(server, collector, hook)
    expect(spans).toBe(expectDifferences(recorded))
    // The webhooks got the context of the trace.
    expect(hook.calls.at(-1)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  })

  test.skipIf(kubeApiserver === undefined)('are recorded from kube-apiserver', async () => {
    await using ownEtcd = await startEtcd(etcdProgram!)
    await using ownHook = await startAdmissionHook(openssl!)
    await using server = await startKubeApiserver(kubeApiserver!, ownEtcd.url, [`--tracing-config-file=${collector.configFile}`])
    expect(await traceRequests(server, collector, ownHook)).toBe(recorded)
  })
})
