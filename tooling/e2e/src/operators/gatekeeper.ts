import assert from 'node:assert/strict'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
import { freePorts } from '../real-parts/etcd-process.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import type { Cluster } from './cluster.ts'
import { issueCertificate } from './issue-certificate.ts'
import { OperatorProcess, withOutput } from './operator-process.ts'

const module = 'github.com/open-policy-agent/gatekeeper/v3'
const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const templates = '/apis/templates.gatekeeper.sh/v1/constrainttemplates'
const constraints = '/apis/constraints.gatekeeper.sh/v1beta1/labelsrequired'

const rego = `package labelsrequired
violation[{"msg": msg}] {
  label := input.parameters.labels[_]
  not input.review.object.metadata.labels[label]
  msg := sprintf("%v has no label %v", [input.review.object.metadata.name, label])
}`

/** Runs Gatekeeper: a template in Rego defines a kind of constraints, and a constraint denies. Returns false if the program cannot be built. */
export async function runGatekeeper(cluster: Cluster): Promise<boolean> {
  const openssl = findOpenssl()
  const program = await buildGoDirectory({
    subject: 'Gatekeeper',
    name: 'gatekeeper',
    package: module,
    url: new URL('gatekeeper/', import.meta.url),
  })
  if (program === undefined || openssl === undefined) return false
  const { namespace } = cluster
  const [port = 0, health, metrics] = await freePorts(3)
  const caBundle = Buffer.from(await issueCertificate(openssl, cluster.directory)).toString('base64')
  await cluster.defineProject(module)
  await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } })
  await using gatekeeper = new OperatorProcess(
    program,
    [
      '--operation=webhook',
      '--operation=generate',
      '--disable-cert-rotation',
      '--debug-use-fake-pod',
      '--host=127.0.0.1',
      `--port=${port}`,
      `--cert-dir=${cluster.directory}`,
      `--health-addr=127.0.0.1:${health}`,
      `--prometheus-port=${metrics}`,
      `--kubeconfig=${cluster.kubeconfig}`,
      '--logtostderr',
    ],
    { POD_NAMESPACE: namespace },
  )
  try {
    await withOutput([gatekeeper], () => enforce(cluster, `https://127.0.0.1:${port}/v1/admit`, caBundle))
  } finally {
    await cluster.request('DELETE', `${configurations}/${namespace}`).catch(() => {})
    await cluster.request('DELETE', `${constraints}/team`).catch(() => {})
    await cluster.request('DELETE', `${templates}/labelsrequired`).catch(() => {})
    await cluster.undefineProject(module)
    await cluster.request('DELETE', `/api/v1/namespaces/${namespace}`)
  }
  return true
}

async function enforce(cluster: Cluster, url: string, caBundle: string): Promise<void> {
  const { namespace } = cluster
  const createTemplate = (kind: string): object => ({
    apiVersion: 'templates.gatekeeper.sh/v1',
    kind: 'ConstraintTemplate',
    metadata: { name: 'labelsrequired' },
    spec: {
      crd: {
        spec: {
          names: { kind },
          validation: { openAPIV3Schema: { type: 'object', properties: { labels: { type: 'array', items: { type: 'string' } } } } },
        },
      },
      targets: [{ target: 'admission.k8s.gatekeeper.sh', rego }],
    },
  })
  await cluster.create(configurations, {
    metadata: { name: namespace },
    webhooks: [
      {
        name: 'validation.gatekeeper.sh',
        admissionReviewVersions: ['v1', 'v1beta1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        clientConfig: { url, caBundle },
        rules: [
          { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['*'], resources: ['configmaps'] },
          {
            operations: ['CREATE', 'UPDATE'],
            apiGroups: ['templates.gatekeeper.sh', 'constraints.gatekeeper.sh'],
            apiVersions: ['*'],
            resources: ['*'],
          },
        ],
      },
    ],
  })
  await cluster.untilDenied(
    () => cluster.create(`${templates}?dryRun=All`, createTemplate('OtherName')),
    /denied the request: .*is not equal to the lowercase of CRD's Kind/,
  )
  await cluster.create(templates, createTemplate('LabelsRequired'))
  await cluster.untilTrue('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/labelsrequired.constraints.gatekeeper.sh', 'Established')
  await cluster.until(constraints, () => true)
  await cluster.create(constraints, {
    apiVersion: 'constraints.gatekeeper.sh/v1beta1',
    kind: 'LabelsRequired',
    metadata: { name: 'team' },
    spec: {
      match: { kinds: [{ apiGroups: [''], kinds: ['ConfigMap'] }], namespaces: [namespace] },
      parameters: { labels: ['team'] },
    },
  })
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const create = (name: string, labels: object): Promise<unknown> => cluster.create(maps, { metadata: { name, labels } })
  // Gatekeeper follows its constraints with a delay.
  let attempts = 0
  await cluster.untilDenied(
    () => create(`early-${attempts++}`, {}),
    /validation\.gatekeeper\.sh.* denied the request: \[team\] early-\d+ has no label team/,
  )
  await create('a', { team: 'x' })
  await assert.rejects(cluster.merge(`${maps}/a`, { metadata: { labels: { team: null } } }), /\[team\] a has no label team/)
  await cluster.request('DELETE', `${maps}/a`)
}
