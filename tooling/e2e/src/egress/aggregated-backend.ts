import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import type { HttpsClient } from '../https-client.ts'
import type { IssuedCertificates } from '../kubelet/issue-certificates.ts'

/** Names that the certificate `aggregated` needs. */
export const aggregatedNames = 'DNS:cluster.default.svc,DNS:external.default.svc'
/** API groups by service: one with a cluster IP, and one with a DNS name. */
export const aggregatedGroups = { cluster: 'cluster.example.com', external: 'external.example.com' } as const
export const clusterIP = '10.0.77.78'

/** An API server behind the tested one. */
export interface AggregatedBackend extends Disposable {
  readonly port: number
  /** Paths of the requests so far. */
  readonly calls: readonly string[]
}

export async function startAggregatedBackend(certificates: IssuedCertificates): Promise<AggregatedBackend> {
  const calls: string[] = []
  const server = createServer(
    { cert: certificates.text('aggregated.pem'), key: certificates.text('aggregated.key') },
    ({ url }, response) => {
      calls.push(url ?? '')
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: (url ?? '').slice('/apis/'.length), resources: [] }),
      )
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * Registers the backend twice. The address of the service `cluster` is only known to a proxy. The service `external` is "localhost", which is also
 * reached without a proxy.
 */
export async function registerBackend(client: HttpsClient, { port }: AggregatedBackend, certificates: IssuedCertificates): Promise<void> {
  const create = async (path: string, body: object): Promise<void> => {
    expect(await client.request('POST', path, { body })).toMatchObject({ status: 201 })
  }
  const ports = [{ name: 'https', port: 443 }]
  await create('/api/v1/namespaces/default/services', { metadata: { name: 'cluster' }, spec: { clusterIP, ports } })
  await create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    metadata: { name: 'cluster', labels: { 'kubernetes.io/service-name': 'cluster' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.1.1'] }],
    ports,
  })
  const named = { type: 'ExternalName', externalName: 'localhost' }
  await create('/api/v1/namespaces/default/services', { metadata: { name: 'external' }, spec: named })
  const caBundle = Buffer.from(certificates.text('ca.pem')).toString('base64')
  for (const [name, group] of Object.entries(aggregatedGroups)) {
    const service = { namespace: 'default', name, port: name === 'external' ? port : 443 }
    await create('/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: `v1.${group}` },
      spec: { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10, caBundle, service },
    })
  }
}
