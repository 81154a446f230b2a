import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import tls from 'node:tls'
import { freePorts } from '../real-parts/etcd-process.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import type { Cluster } from './cluster.ts'
import { issueCertificate } from './issue-certificate.ts'
import { OperatorProcess, withOutput } from './operator-process.ts'
import { createWidgetDefinition } from './widget-definition.ts'
import { buildWidgetOperator } from './widget-operator.ts'

const admission = '/apis/admissionregistration.k8s.io/v1'
const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.demo.example.com'
const clients = 6
/** Time for which the load continues in each state of the certificates. */
const pauseMs = 1500

/**
 * Runs the webhooks of our operator, which convert, default and validate widgets, and replaces their certificate and its authority under
 * load. Returns false if the program cannot be built.
 */
export async function runWidgetWebhooks(cluster: Cluster): Promise<boolean> {
  const openssl = findOpenssl()
  const program = await buildWidgetOperator()
  if (program === undefined || openssl === undefined) return false
  const { namespace } = cluster
  const [port = 0] = await freePorts(1)
  const serving = path.join(cluster.directory, 'serving')
  const first = await issueCertificate(openssl, serving)
  const next = path.join(cluster.directory, 'next')
  const second = await issueCertificate(openssl, next)
  const flags = [`--webhook-port=${port}`, `--cert-dir=${serving}`]
  await using webhook = new OperatorProcess(program, flags, { KUBECONFIG: cluster.kubeconfig })
  await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } })
  try {
    await withOutput([webhook], async () => {
      await waitForCertificate(port, first)
      await cluster.define(createWidgetDefinition({ url: `https://127.0.0.1:${port}/convert`, caBundle: encode(first) }))
      await configure(cluster, port, first)
      await enforce(cluster)
      await withLoad(cluster, async () => {
        await setAuthority(cluster, first + second)
        await wait(pauseMs)
        for (const file of ['tls.key', 'tls.crt']) await rename(path.join(next, file), path.join(serving, file))
        await waitForCertificate(port, second)
        await wait(pauseMs)
        // The server opens new connections, because it trusts no longer what the old ones were opened with.
        await setAuthority(cluster, second)
        await wait(pauseMs)
      })
    })
  } finally {
    for (const kind of ['mutating', 'validating']) {
      await cluster.request('DELETE', `${admission}/${kind}webhookconfigurations/${namespace}`).catch(() => {})
    }
    await cluster.undefine(['widgets.demo.example.com'])
    await cluster.request('DELETE', `/api/v1/namespaces/${namespace}`)
  }
  return true
}

function encode(certificates: string): string {
  return Buffer.from(certificates).toString('base64')
}

async function configure(cluster: Cluster, port: number, authority: string): Promise<void> {
  const { namespace } = cluster
  const hook = {
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    // The hooks get widgets of v1 as v2, which is a call of the conversion webhook.
    matchPolicy: 'Equivalent',
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  }
  const createHook = (name: string, verb: string, operations: readonly string[]): object => ({
    ...hook,
    name: `${name}.demo.example.com`,
    clientConfig: { url: `https://127.0.0.1:${port}/${verb}-demo-example-com-v2-widget`, caBundle: encode(authority) },
    rules: [{ operations, apiGroups: ['demo.example.com'], apiVersions: ['v2'], resources: ['widgets'] }],
  })
  const metadata = { name: namespace }
  const mutating = { metadata, webhooks: [createHook('defaults', 'mutate', ['CREATE', 'UPDATE'])] }
  const validating = { metadata, webhooks: [createHook('rules', 'validate', ['CREATE', 'UPDATE', 'DELETE'])] }
  await cluster.create(`${admission}/mutatingwebhookconfigurations`, mutating)
  await cluster.create(`${admission}/validatingwebhookconfigurations`, validating)
}

/** Makes the server trust other certificates for all calls. */
async function setAuthority(cluster: Cluster, authority: string): Promise<void> {
  const caBundle = encode(authority)
  for (const kind of ['mutating', 'validating']) {
    const patch = [{ op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value: caBundle }]
    await cluster.request('PATCH', `${admission}/${kind}webhookconfigurations/${cluster.namespace}`, patch, 'application/json-patch+json')
  }
  await cluster.merge(definition, { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } })
}

/** Waits until the webhooks serve a certificate. */
async function waitForCertificate(port: number, certificate: string): Promise<void> {
  const { serialNumber } = new X509Certificate(certificate)
  for (const deadline = Date.now() + 60_000; (await readSerialNumber(port)) !== serialNumber; await wait(100))
    if (Date.now() > deadline) throw new Error(`port ${port} does not serve the new certificate of the webhooks after 60 s`)
}

function readSerialNumber(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber)
      socket.destroy()
    })
    socket.once('error', () => resolve(undefined))
  })
}

const formatWidgetsPath = (namespace: string, version: string): string =>
  `/apis/demo.example.com/${version}/namespaces/${namespace}/widgets`

function createWidget(version: string, name: string, spec: object, labels: object = {}): object {
  return { apiVersion: `demo.example.com/${version}`, kind: 'Widget', metadata: { name, labels }, spec }
}

/** The webhooks decide about requests of both versions. */
async function enforce(cluster: Cluster): Promise<void> {
  const [v1, v2] = ['v1', 'v2'].map((version) => formatWidgetsPath(cluster.namespace, version)) as [string, string]
  const large = createWidget('v2', 'large', { size: { millimetres: 2000 } })
  // A server may follow a new configuration with a delay.
  await cluster.untilDenied(() => cluster.create(`${v2}?dryRun=All`, large), /denied the request: 2000 mm are more than 1000 mm/)
  await assert.rejects(cluster.create(v1, createWidget('v1', 'large', { sizeCentimetres: 101 })), /denied the request: 1010 mm are more/)
  const created = await cluster.create(v2, createWidget('v2', 'a', { size: { millimetres: 100 } }, { protected: 'yes' }))
  assert.equal(created.spec?.['text'], 'default')
  const annotations = (created.metadata as { annotations?: Record<string, string> }).annotations ?? {}
  assert(annotations['demo.example.com/created-by'])
  const old = await cluster.create(v1, createWidget('v1', 'b', { sizeCentimetres: 20 }))
  assert.deepEqual(old.spec, { sizeCentimetres: 20, text: 'default' })
  await assert.rejects(cluster.merge(`${v1}/b`, { spec: { sizeCentimetres: 10 } }), /a widget of 200 mm cannot shrink/)
  await assert.rejects(cluster.request('DELETE', `${v1}/a`), /denied the request: widget a is protected/)
  await cluster.merge(`${v2}/a`, { metadata: { labels: { protected: null } } })
  for (const name of ['a', 'b']) await cluster.request('DELETE', `${v1}/${name}`)
}

/** Runs a scenario while clients write and read widgets. Throws if one of their requests fails. */
async function withLoad(cluster: Cluster, scenario: () => Promise<void>): Promise<void> {
  const [v1, v2] = ['v1', 'v2'].map((version) => formatWidgetsPath(cluster.namespace, version)) as [string, string]
  const end = new AbortController()
  let rounds = 0
  const writeWidgets = async (client: number): Promise<void> => {
    for (let i = 0; !end.signal.aborted; i++) {
      const name = `load-${client}-${i}`
      const { spec } = await cluster.create(v1, createWidget('v1', name, { sizeCentimetres: 5 }))
      assert.equal(spec?.['text'], 'default')
      await cluster.merge(`${v2}/${name}`, { spec: { size: { millimetres: 60 } } })
      assert.equal((await cluster.get(`${v1}/${name}`)).spec?.['sizeCentimetres'], 6)
      await cluster.request('DELETE', `${v1}/${name}`)
      rounds++
    }
  }
  const working = Array.from({ length: clients }, (_, client) => writeWidgets(client).finally(() => end.abort()))
  const loaded = Promise.all(working)
  loaded.catch(() => {})
  await scenario()
  end.abort()
  await loaded
  assert(rounds >= clients, `${rounds} rounds of requests`)
}
