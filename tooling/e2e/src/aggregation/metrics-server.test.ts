import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { Kubectl } from '../kubectl/kubectl.ts'
import { Session } from '../kubectl/session.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import { ExtensionProcess } from './extension-process.ts'
import { type MetricsKubelet, startMetricsKubelet } from './metrics-kubelet.ts'
import { buildMetricsServer, metricsServer } from './metrics-server.ts'

const binaries = { kubectl: findKubectl(), openssl: findOpenssl(), metrics: await buildMetricsServer() }
const mebibyte = 2 ** 20
/** metrics-server needs two readings of the kubelet, 10 seconds apart, for the usage of processors. */
const readingOptions = { timeout: 120_000, interval: 500 }

let directory: string
let front: KeelsonProcess
let client: HttpsClient
let kubectl: Kubectl
let session: Session
let kubelet: MetricsKubelet
let metrics: ExtensionProcess

describe.skipIf(Object.values(binaries).includes(undefined))('metrics-server behind the server', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'keelson-metrics-'))
    front = await startKeelsonProcess()
    client = new HttpsClient(front.url, front.token)
    kubectl = new Kubectl(binaries.kubectl!, front, path.join(directory, 'cache'))
    session = new Session(kubectl, 'default', directory)
    kubelet = await startMetricsKubelet({
      openssl: binaries.openssl!,
      directory: path.join(directory, 'kubelet'),
      client,
      node: { cpu: 0.5, memory: 1024 * mebibyte },
      containers: {
        'default/web/main': { cpu: 0.25, memory: 64 * mebibyte },
        'default/web/proxy': { cpu: 0.05, memory: 16 * mebibyte },
        'kube-system/dns/main': { cpu: 0.1, memory: 32 * mebibyte },
      },
    })
    await kubectl.run(['apply', '-f', '-'], { input: createNode(kubelet.port) })
    await kubectl.run(['apply', '-f', '-'], {
      input: createPod('default', 'web', ['main', 'proxy']) + createPod('kube-system', 'dns', ['main']),
    })
    for (const [namespace, name] of [
      ['default', 'web'],
      ['kube-system', 'dns'],
    ] as const) {
      await kubectl.run([
        'patch',
        'pod',
        name,
        '-n',
        namespace,
        '--subresource=status',
        '--type=merge',
        '-p',
        '{"status":{"phase":"Running"}}',
      ])
    }
    metrics = await ExtensionProcess.open(metricsServer, {
      program: binaries.metrics!,
      openssl: binaries.openssl!,
      directory,
      kubectl,
      frontUrl: front.url,
    })
    await vi.waitFor(async () => {
      const results = await Promise.all([kubectl.try(['top', 'nodes']), kubectl.try(['top', 'pod', 'web'])])
      if (results.some(({ code }) => code !== 0)) throw new Error(`${results[0].stderr}${metrics.output.slice(-4000)}`)
    }, readingOptions)
  }, 300_000)

  afterAll(async () => {
    await metrics?.[Symbol.asyncDispose]()
    await kubelet?.[Symbol.asyncDispose]()
    client?.[Symbol.dispose]()
    await front?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  test('kubectl top shows the usage of nodes, pods and containers', async () => {
    await session.play(
      ['top nodes', /^NAME +CPU\(cores\) +CPU\(%\) +MEMORY\(bytes\) +MEMORY\(%\) *\nnode-1 +500m +25% +1024Mi +25% *\n$/],
      ['top node node-1 --no-headers', /^node-1 +500m +25% +1024Mi +25% *\n$/],
      ['top pods', /^NAME +CPU\(cores\) +MEMORY\(bytes\) *\nweb +300m +80Mi *\n$/],
      ['top pods -A --sort-by=cpu --no-headers', /^default +web +300m +80Mi *\nkube-system +dns +100m +32Mi *\n$/],
      ['top pods --containers --no-headers --sort-by=cpu', /^web +main +250m +64Mi *\nweb +proxy +50m +16Mi *\n$/],
      ['top pods -l app=web --no-headers', /^web +300m +80Mi *\n$/],
      ['top pods -l app=other', { stderr: 'No resources found in default namespace.\n' }],
      ['top pod missing', { code: 1, stderr: 'Error from server (NotFound): pods "missing" not found\n' }],
    )
  })

  test('its API is part of discovery and serves objects', async () => {
    await session.play(
      [
        'api-resources --api-group=metrics.k8s.io --no-headers',
        /^nodes +metrics\.k8s\.io\/v1beta1 +false +NodeMetrics\npods +metrics\.k8s\.io\/v1beta1 +true +PodMetrics\n$/,
      ],
      ['get nodes.metrics.k8s.io node-1 -o jsonpath={.usage.memory}', '1Gi'],
      ['get apiservice v1beta1.metrics.k8s.io --no-headers', /^v1beta1\.metrics\.k8s\.io +kube-system\/metrics-server +True +\S+\n$/],
    )
    // The kubelet has asked the server about the service account.
    expect([...kubelet.users]).toEqual(['system:serviceaccount:kube-system:metrics-server'])
  })

  test('users see it with the aggregated role view, and not without a role', async () => {
    const path = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods'
    const list = (): ReturnType<HttpsClient['request']> => client.request('GET', path, { token: 'alicetoken' })
    const refused = await list()
    expect([refused.status, refused.parseJson()['message']]).toEqual([
      403,
      'pods.metrics.k8s.io is forbidden: User "alice" cannot list resource "pods" in API group "metrics.k8s.io" in the namespace "default"',
    ])
    await kubectl.run(['create', 'rolebinding', 'viewers', '--clusterrole=view', '--group=dev'])
    await expect.poll(async () => (await list()).status, { timeout: 20_000 }).toBe(200)
    expect((await client.request('GET', '/apis/metrics.k8s.io/v1beta1/nodes', { token: 'alicetoken' })).status).toBe(403)
  })

  test('kubectl top fails while it is down, and works again afterwards', async () => {
    await metrics.kill()
    const failed = await kubectl.try(['top', 'nodes'])
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/Metrics API not available|error trying to reach service|ServiceUnavailable/),
    ])
    expect((await client.request('GET', '/api/v1/nodes')).status).toBe(200)
    metrics.start()
    await expect.poll(async () => (await kubectl.try(['top', 'nodes', '--no-headers'])).stdout, readingOptions).toMatch(/^node-1 +500m/)
  })
})

/** Returns a ready node whose kubelet listens on a port of this machine. */
function createNode(port: number): string {
  return `
apiVersion: v1
kind: Node
metadata: { name: node-1 }
status:
  capacity: { cpu: '2', memory: 4Gi }
  allocatable: { cpu: '2', memory: 4Gi }
  conditions: [{ type: Ready, status: 'True' }]
  addresses: [{ type: InternalIP, address: 127.0.0.1 }]
  daemonEndpoints: { kubeletEndpoint: { Port: ${port} } }
`
}

function createPod(namespace: string, name: string, containers: readonly string[]): string {
  const listed = containers.map((container) => `{ name: ${container}, image: example.com/${container} }`).join(', ')
  return `
---
apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: ${namespace}, labels: { app: ${name} } }
spec: { nodeName: node-1, tolerations: [{ operator: Exists }], containers: [${listed}] }
`
}
