import assert from 'node:assert/strict'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
import { freePorts } from '../real-parts/etcd-process.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import type { Cluster, Stored } from './cluster.ts'
import { issueCertificate } from './issue-certificate.ts'
import { OperatorProcess, withOutput } from './operator-process.ts'
import { createWidgetDefinition } from './widget-definition.ts'

const createWidgetsPath = (namespace: string) => (version: string) => `/apis/demo.example.com/${version}/namespaces/${namespace}/widgets`
const formatLeasePath = (namespace: string): string => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/widget-operator`

/** Compiles the operator. The first compilation takes minutes. */
export function buildWidgetOperator(): Promise<string | undefined> {
  return buildGoDirectory({ subject: 'the widget operator', name: 'widget-operator', url: new URL('widget-operator/', import.meta.url) })
}

/**
 * Runs our operator on controller-runtime with two replicas and a conversion webhook. Returns false if the program cannot be built.
 */
export async function runWidgetOperator(cluster: Cluster): Promise<boolean> {
  const openssl = findOpenssl()
  const program = await buildWidgetOperator()
  if (program === undefined || openssl === undefined) return false
  const { namespace } = cluster
  const [port = 0] = await freePorts(1)
  const caBundle = Buffer.from(await issueCertificate(openssl, cluster.directory)).toString('base64')
  const environment = { KUBECONFIG: cluster.kubeconfig }
  const startReplica = (identity: string): OperatorProcess =>
    new OperatorProcess(program, [`--identity=${identity}`, `--namespace=${namespace}`], environment)
  await using webhook = new OperatorProcess(program, [`--webhook-port=${port}`, `--cert-dir=${cluster.directory}`], environment)
  await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } })
  await cluster.define(createWidgetDefinition({ url: `https://127.0.0.1:${port}/convert`, caBundle }))
  await using first = startReplica('first')
  try {
    await withOutput([webhook, first], () => reconcile(cluster))
    await using second = startReplica('second')
    await withOutput([webhook, first, second], async () => {
      await convert(cluster)
      await first.stop('SIGKILL')
      await takeOver(cluster)
      await remove(cluster)
    })
  } finally {
    await cluster.undefine(['widgets.demo.example.com'])
    await cluster.request('DELETE', `/api/v1/namespaces/${namespace}`)
  }
  return true
}

/** The controller creates a config map, reports the generation it has seen, and repairs the config map. */
async function reconcile(cluster: Cluster): Promise<void> {
  const widgets = createWidgetsPath(cluster.namespace)
  const core = `/api/v1/namespaces/${cluster.namespace}`
  await cluster.create(widgets('v2'), createWidget('v2', 'a', { size: { millimetres: 70 }, text: 'hello' }))
  const ready = await cluster.untilTrue(`${widgets('v2')}/a`, 'Ready')
  assert.equal(ready.status?.observedGeneration, ready.metadata.generation)
  assert.deepEqual(ready.metadata.finalizers, ['demo.example.com/archive'])
  assert.equal(ready.spec?.['replicas'], 1, 'default of the schema')
  const config = await cluster.get(`${core}/configmaps/a`)
  assert.deepEqual(config.data, { millimetres: '70', text: 'hello' })
  assert.equal(config.metadata.ownerReferences?.[0]?.name, 'a')

  const { metadata } = await cluster.merge(`${widgets('v2')}/a`, { spec: { text: 'changed' } })
  assert.equal(metadata.generation, (ready.metadata.generation ?? 0) + 1)
  await cluster.until(`${widgets('v2')}/a`, ({ status }) => status?.observedGeneration === metadata.generation)
  await cluster.request('DELETE', `${core}/configmaps/a`)
  await cluster.until(`${core}/configmaps/a`, ({ data }) => data?.['text'] === 'changed')

  const scale = await cluster.merge(`${widgets('v2')}/a/scale`, { spec: { replicas: 3 } })
  assert.equal(scale.spec?.['replicas'], 3)
  await cluster.until(`${widgets('v2')}/a`, ({ status }) => status?.['replicas'] === 3)
}

/** The webhook converts reads, writes and lists of v1. */
async function convert(cluster: Cluster): Promise<void> {
  const widgets = createWidgetsPath(cluster.namespace)
  const core = `/api/v1/namespaces/${cluster.namespace}`
  const old = await cluster.get(`${widgets('v1')}/a`)
  assert.deepEqual(old.spec, { sizeCentimetres: 7, text: 'changed' })
  assert.equal(old['apiVersion'], 'demo.example.com/v1')
  await cluster.create(widgets('v1'), createWidget('v1', 'b', { sizeCentimetres: 12 }))
  assert.deepEqual((await cluster.untilTrue(`${widgets('v2')}/b`, 'Ready')).spec?.['size'], { millimetres: 120 })
  await cluster.merge(`${widgets('v1')}/b`, { spec: { sizeCentimetres: 13 } })
  await cluster.until(`${core}/configmaps/b`, ({ data }) => data?.['millimetres'] === '130')
  const list = (await cluster.get(widgets('v1'))) as unknown as { items: Stored[] }
  assert.deepEqual(
    list.items.map(({ spec }) => spec?.['sizeCentimetres']),
    [7, 13],
  )
}

/** After the leader is killed, the second replica takes the lease and reconciles. */
async function takeOver(cluster: Cluster): Promise<void> {
  const widgets = createWidgetsPath(cluster.namespace)
  const { spec } = await cluster.get(formatLeasePath(cluster.namespace))
  await cluster.create(widgets('v2'), createWidget('v2', 'c', { size: { millimetres: 10 } }))
  const ready = await cluster.untilTrue(`${widgets('v2')}/c`, 'Ready')
  assert.equal(ready.status?.conditions?.[0]?.message, 'configured by second')
  assert.notEqual((await cluster.get(formatLeasePath(cluster.namespace))).spec?.['holderIdentity'], spec?.['holderIdentity'])
}

/** The finalizer keeps a deleted widget until the controller has archived it. */
async function remove(cluster: Cluster): Promise<void> {
  const widgets = createWidgetsPath(cluster.namespace)
  const core = `/api/v1/namespaces/${cluster.namespace}`
  await cluster.request('DELETE', `${widgets('v1')}/a`)
  await cluster.untilGone(`${widgets('v2')}/a`)
  await cluster.until(`${core}/configmaps/archive`, ({ data }) => data?.['a'] === 'changed')
  await cluster.request('DELETE', widgets('v2'))
  for (const name of ['b', 'c']) await cluster.untilGone(`${widgets('v2')}/${name}`)
}

function createWidget(version: string, name: string, spec: object): object {
  return { apiVersion: `demo.example.com/${version}`, kind: 'Widget', metadata: { name }, spec }
}
