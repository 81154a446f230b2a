import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
import { freePorts } from '../real-parts/etcd-process.ts'
import type { Cluster, Stored } from './cluster.ts'
import { HelmServer } from './helm-server.ts'
import { OperatorProcess, withOutput } from './operator-process.ts'

const module = 'github.com/fluxcd/source-controller'
const kinds = ['buckets', 'externalartifacts', 'gitrepositories', 'helmcharts', 'helmrepositories', 'ocirepositories']

/**
 * Runs Flux's source-controller on a Helm repository: it downloads the index and a chart, serves both as artifacts, follows a new version, and
 * reports a missing chart. Returns false if the program cannot be built.
 */
export async function runSourceController(cluster: Cluster): Promise<boolean> {
  const program = await buildGoDirectory({
    subject: module,
    name: 'source-controller',
    package: module,
    url: new URL('source-controller/', import.meta.url),
  })
  if (program === undefined) return false
  await using repository = await HelmServer.start()
  repository.publish(['1.0.0'])
  const { namespace } = cluster
  await cluster.defineProject(module)
  await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } })
  const [storage, health] = await freePorts(2)
  await using controller = new OperatorProcess(
    program,
    [
      '--events-addr=',
      '--metrics-addr=127.0.0.1:0',
      `--health-addr=127.0.0.1:${health}`,
      `--storage-path=${cluster.directory}`,
      `--storage-addr=127.0.0.1:${storage}`,
      `--storage-adv-addr=127.0.0.1:${storage}`,
      '--log-level=info',
    ],
    { KUBECONFIG: cluster.kubeconfig, RUNTIME_NAMESPACE: namespace },
  )
  try {
    await withOutput([controller], () => followChart(cluster, repository))
  } finally {
    await cluster.undefine(kinds.map((kind) => `${kind}.source.toolkit.fluxcd.io`))
    await cluster.request('DELETE', `/api/v1/namespaces/${namespace}`)
  }
  return true
}

async function followChart(cluster: Cluster, repository: HelmServer): Promise<void> {
  const basePath = `/apis/source.toolkit.fluxcd.io/v1/namespaces/${cluster.namespace}`
  const identity = { apiVersion: 'source.toolkit.fluxcd.io/v1' }
  await cluster.create(`${basePath}/helmrepositories`, {
    ...identity,
    kind: 'HelmRepository',
    metadata: { name: 'demo' },
    spec: { url: repository.url, interval: '1h' },
  })
  await cluster.untilTrue(`${basePath}/helmrepositories/demo`, 'Ready')
  await downloadArtifact(await cluster.until(`${basePath}/helmrepositories/demo`, (object) => readArtifact(object).url !== undefined))
  await cluster.create(`${basePath}/helmcharts`, {
    ...identity,
    kind: 'HelmChart',
    metadata: { name: 'demo' },
    spec: { chart: 'demo', version: '1.x', interval: '1h', sourceRef: { kind: 'HelmRepository', name: 'demo' } },
  })
  await cluster.untilTrue(`${basePath}/helmcharts/demo`, 'Ready')
  // The controller writes the condition before the artifact.
  await downloadArtifact(await cluster.until(`${basePath}/helmcharts/demo`, (object) => readArtifact(object).revision === '1.0.0'))

  repository.publish(['1.0.0', '1.1.0'])
  await cluster.merge(`${basePath}/helmrepositories/demo`, { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } })
  await cluster.until(`${basePath}/helmcharts/demo`, (object) => readArtifact(object).revision === '1.1.0')

  await cluster.merge(`${basePath}/helmcharts/demo`, { spec: { chart: 'missing' } })
  await cluster.until(
    `${basePath}/helmcharts/demo`,
    ({ status }) => status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'False') ?? false,
  )
  for (const one of ['helmcharts', 'helmrepositories']) {
    await cluster.request('DELETE', `${basePath}/${one}/demo`)
    await cluster.untilGone(`${basePath}/${one}/demo`)
  }
}

function readArtifact({ status }: Stored): { readonly url?: string; readonly revision?: string; readonly digest?: string } {
  return status?.['artifact'] ?? {}
}

async function downloadArtifact(object: Stored): Promise<void> {
  const { url = '', digest } = readArtifact(object)
  const response = await fetch(url)
  assert.equal(response.status, 200)
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(digest, `sha256:${createHash('sha256').update(bytes).digest('hex')}`)
}
