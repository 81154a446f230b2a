import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from '../real-parts/etcd-process.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import { buildCertManager, certManagerModule } from './cert-manager.ts'
import type { Cluster } from './cluster.ts'
import { OperatorProcess, withOutput } from './operator-process.ts'

const admission = '/apis/admissionregistration.k8s.io/v1'
const service = 'cert-manager-webhook'
const authority = `${service}-ca`

/**
 * Runs cert-manager's webhook, which the server finds through a service and its endpoints. The webhook issues its own certificate, and a CA
 * injector adds the authority to the configurations. The webhook then refuses wrong issuers, and records the user of a certificate
 * request. The server must route services to endpoints. Returns false if the programs cannot be built, or if the machine has only loopback addresses, which
 * endpoints must not have.
 */
export async function runCertManagerWebhook(cluster: Cluster): Promise<boolean> {
  const openssl = findOpenssl()
  const address = findAddress()
  const [program, injector] = await Promise.all([buildCertManager('webhook'), buildCertManager('cainjector')])
  if (program === undefined || injector === undefined || openssl === undefined || address === undefined) return false
  const { namespace } = cluster
  const [port = 0, health] = await freePorts(2)
  await cluster.defineProject(certManagerModule)
  await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } })
  await createService(cluster, address, port)
  await using webhook = new OperatorProcess(program, [
    `--kubeconfig=${cluster.kubeconfig}`,
    `--secure-port=${port}`,
    `--healthz-port=${health}`,
    `--dynamic-serving-ca-secret-namespace=${namespace}`,
    `--dynamic-serving-ca-secret-name=${authority}`,
    `--dynamic-serving-dns-names=${service},${service}.${namespace},${service}.${namespace}.svc`,
  ])
  try {
    await withOutput([webhook], async () => {
      await configure(cluster)
      await addAuthority(cluster, injector)
      await enforce(cluster, await createSigningRequest(openssl, cluster.directory))
    })
  } finally {
    for (const kind of ['mutating', 'validating']) {
      await cluster.request('DELETE', `${admission}/${kind}webhookconfigurations/${namespace}`).catch(() => {})
    }
    await cluster.undefineProject(certManagerModule)
    await cluster.request('DELETE', `/api/v1/namespaces/${namespace}`)
  }
  return true
}

function findAddress(): string | undefined {
  return Object.values(os.networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address
}

/** Creates the service of the webhook with an endpoint slice, as the control plane does for the webhook's pod. */
async function createService(cluster: Cluster, address: string, port: number): Promise<void> {
  const { namespace } = cluster
  const ports = [{ name: 'https', port: 443, targetPort: port, protocol: 'TCP' }]
  await cluster.create(`/api/v1/namespaces/${namespace}/services`, { metadata: { name: service }, spec: { ports } })
  await cluster.create(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, {
    metadata: { name: service, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  })
}

/** Creates the configurations with the rules of cert-manager's chart. */
async function configure(cluster: Cluster): Promise<void> {
  const { namespace } = cluster
  const groups = ['cert-manager.io', 'acme.cert-manager.io']
  const rules = [{ operations: ['CREATE', 'UPDATE'], apiGroups: groups, apiVersions: ['v1'], resources: ['*/*'] }]
  for (const [kind, path] of [
    ['mutating', '/mutate'],
    ['validating', '/validate'],
  ] as const) {
    const collection = `${admission}/${kind}webhookconfigurations`
    await cluster.create(collection, {
      metadata: { name: namespace, annotations: { 'cert-manager.io/inject-ca-from-secret': `${namespace}/${authority}` } },
      webhooks: [
        {
          name: 'webhook.cert-manager.io',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          matchPolicy: 'Equivalent',
          failurePolicy: 'Fail',
          timeoutSeconds: 10,
          clientConfig: { service: { namespace, name: service, path } },
          rules,
        },
      ],
    })
  }
}

/** Adds the authority of the webhook to the configurations: by the CA injector, which stops if the server does not serve API services. */
async function addAuthority(cluster: Cluster, injector: string): Promise<void> {
  const { namespace } = cluster
  const names = ['mutating', 'validating'].map((kind) => `${admission}/${kind}webhookconfigurations/${namespace}`)
  if (await cluster.exists('/apis/apiregistration.k8s.io/v1')) {
    await using injecting = new OperatorProcess(injector, [`--kubeconfig=${cluster.kubeconfig}`, '--leader-elect=false'])
    await withOutput([injecting], async () => {
      for (const name of names) await cluster.until(name, (object) => JSON.stringify(object).includes('"caBundle":"'))
    })
    return
  }
  const { data } = await cluster.until(`/api/v1/namespaces/${namespace}/secrets/${authority}`, ({ data }) => data?.['ca.crt'] !== undefined)
  const patch = [{ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: data?.['ca.crt'] }]
  for (const name of names) await cluster.request('PATCH', name, patch, 'application/json-patch+json')
}

async function createSigningRequest(openssl: string, directory: string): Promise<string> {
  const [key, request] = ['request.key', 'request.csr'].map((name) => path.join(directory, name)) as [string, string]
  const options = 'req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=a.example.com'.split(' ')
  await promisify(execFile)(openssl, [...options, '-keyout', key, '-out', request])
  return (await readFile(request)).toString('base64')
}

async function enforce(cluster: Cluster, request: string): Promise<void> {
  const basePath = `/apis/cert-manager.io/v1/namespaces/${cluster.namespace}`
  const identity = { apiVersion: 'cert-manager.io/v1' }
  const createIssuer = (name: string, spec: object): object => ({ ...identity, kind: 'Issuer', metadata: { name }, spec })
  await cluster.untilDenied(
    () => cluster.create(`${basePath}/issuers`, createIssuer('both', { selfSigned: {}, ca: { secretName: 'x' } })),
    /webhook\.cert-manager\.io.* denied the request: .*may not specify more than one issuer type/,
  )
  await cluster.create(`${basePath}/issuers`, createIssuer('self-signed', { selfSigned: {} }))
  const certificate = {
    ...identity,
    kind: 'Certificate',
    metadata: { name: 'a' },
    spec: { secretName: 'a', issuerRef: { name: 'self-signed' } },
  }
  await assert.rejects(cluster.create(`${basePath}/certificates`, certificate), /at least one of commonName, dnsNames, /)

  const created = await cluster.create(`${basePath}/certificaterequests`, {
    ...identity,
    kind: 'CertificateRequest',
    metadata: { name: 'r' },
    spec: { request, issuerRef: { name: 'self-signed' } },
  })
  assert.equal(typeof created.spec?.['username'], 'string')
  const groups = created.spec?.['groups'] as readonly string[] | undefined
  assert(groups?.includes('system:masters'))
  await assert.rejects(
    cluster.merge(`${basePath}/certificaterequests/r`, { spec: { username: 'somebody' } }),
    /denied the request: .*spec\.username: Forbidden/,
  )
  await assert.rejects(
    cluster.merge(`${basePath}/certificaterequests/r`, { spec: { issuerRef: { name: 'other' } } }),
    /denied the request: .*cannot change spec after creation/,
  )
}
