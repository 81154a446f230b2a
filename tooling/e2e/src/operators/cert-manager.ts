import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
import type { Cluster, Stored } from './cluster.ts'
import { OperatorProcess, withOutput } from './operator-process.ts'

/** Go module of cert-manager. */
export const certManagerModule = 'github.com/cert-manager/cert-manager'
const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

/**
 * Runs cert-manager's controller and CA injector: a self-signed issuer issues a CA, an issuer with that CA issues a certificate, a deleted
 * secret is issued again, and the CA is injected into a webhook configuration if the server serves API services. Returns false if the programs cannot be built.
 */
export async function runCertManager(cluster: Cluster): Promise<boolean> {
  const [controller, injector] = await Promise.all([buildCertManager('controller'), buildCertManager('cainjector')])
  if (controller === undefined || injector === undefined) return false
  const { namespace } = cluster
  await cluster.defineProject(certManagerModule)
  await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } })
  const flags = [`--kubeconfig=${cluster.kubeconfig}`, '--leader-elect=true', `--leader-election-namespace=${namespace}`]
  await using issuing = new OperatorProcess(controller, [
    ...flags,
    `--cluster-resource-namespace=${namespace}`,
    '--metrics-listen-address=127.0.0.1:0',
  ])
  try {
    await withOutput([issuing], () => issueCertificates(cluster))
    // The injector stops if the server does not serve API services.
    if (await cluster.exists('/apis/apiregistration.k8s.io/v1')) {
      await using injecting = new OperatorProcess(injector, flags)
      await withOutput([injecting], () => injectAuthority(cluster))
    }
  } finally {
    await cluster.request('DELETE', `${webhooks}/${namespace}`).catch(() => {})
    await cluster.undefineProject(certManagerModule)
    await cluster.request('DELETE', `/api/v1/namespaces/${namespace}`)
  }
  return true
}

/** Compiles a program of cert-manager. */
export function buildCertManager(name: 'cainjector' | 'controller' | 'webhook'): Promise<string | undefined> {
  return buildGoDirectory({
    subject: 'cert-manager',
    name: `cert-manager-${name}`,
    package: `${certManagerModule}/cmd/${name}`,
    url: new URL('cert-manager/', import.meta.url),
  })
}

async function issueCertificates(cluster: Cluster): Promise<void> {
  const core = `/api/v1/namespaces/${cluster.namespace}`
  const basePath = `/apis/cert-manager.io/v1/namespaces/${cluster.namespace}`
  await cluster.create(`${basePath}/issuers`, createIssuer('self-signed', { selfSigned: {} }))
  await cluster.untilTrue(`${basePath}/issuers/self-signed`, 'Ready')
  await cluster.create(
    `${basePath}/certificates`,
    createCertificate('authority', { isCA: true, commonName: 'authority', secretName: 'authority', issuerRef: { name: 'self-signed' } }),
  )
  await cluster.until(`${basePath}/certificates/authority`, isIssued(1))
  const authority = readCertificate(await cluster.get(`${core}/secrets/authority`))
  assert(authority.ca && authority.verify(authority.publicKey))

  await cluster.create(`${basePath}/issuers`, createIssuer('by-authority', { ca: { secretName: 'authority' } }))
  await cluster.untilTrue(`${basePath}/issuers/by-authority`, 'Ready')
  await cluster.create(
    `${basePath}/certificates`,
    createCertificate('server', { dnsNames: ['a.example.com'], secretName: 'server', issuerRef: { name: 'by-authority' } }),
  )
  await cluster.until(`${basePath}/certificates/server`, isIssued(1))
  const server = readCertificate(await cluster.get(`${core}/secrets/server`))
  assert(server.verify(authority.publicKey))
  assert.match(server.subjectAltName ?? '', /DNS:a\.example\.com/)

  await cluster.request('DELETE', `${core}/secrets/server`)
  const again = readCertificate(await cluster.until(`${core}/secrets/server`, ({ data }) => (data?.['tls.crt'] ?? '') !== ''))
  assert.notEqual(again.serialNumber, server.serialNumber)
  await cluster.until(`${basePath}/certificates/server`, isIssued(2))
}

/**
 * Returns a condition that is true for a certificate that is ready and whose issuance has ended. A certificate can be ready earlier, because
 * another controller of cert-manager reports that. The issuing controller may then still write the secret again.
 */
function isIssued(revision: number): (certificate: Stored) => boolean {
  return ({ status }) => {
    const isTrue = (condition: string): boolean =>
      status?.conditions?.some(({ type, status }) => type === condition && status === 'True') ?? false
    return status?.['revision'] === revision && isTrue('Ready') && !isTrue('Issuing')
  }
}

async function injectAuthority(cluster: Cluster): Promise<void> {
  const { namespace } = cluster
  await cluster.create(webhooks, {
    metadata: { name: namespace, annotations: { 'cert-manager.io/inject-ca-from': `${namespace}/authority` } },
    webhooks: [
      {
        name: 'a.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Ignore',
        clientConfig: { url: 'https://127.0.0.1:1/' },
      },
    ],
  })
  const { data } = await cluster.get(`/api/v1/namespaces/${namespace}/secrets/authority`)
  await cluster.until(`${webhooks}/${namespace}`, (object) => JSON.stringify(object).includes(`"caBundle":"${data?.['ca.crt']}"`))
}

function createIssuer(name: string, spec: object): object {
  return { apiVersion: 'cert-manager.io/v1', kind: 'Issuer', metadata: { name }, spec }
}

function createCertificate(name: string, spec: object): object {
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name },
    spec: { privateKey: { algorithm: 'ECDSA' }, ...spec },
  }
}

function readCertificate({ data }: Stored): X509Certificate {
  return new X509Certificate(Buffer.from(data?.['tls.crt'] ?? '', 'base64'))
}
