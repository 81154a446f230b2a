import type { IncomingMessage } from 'node:http'
import { createServer, request as requestHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
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
    { cert: certificates.readText('aggregated.pem'), key: certificates.readText('aggregated.key') },
    ({ url }, response) => {
      calls.push(url ?? '')
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: (url ?? '').slice('/apis/'.length), resources: [] }),
      )
    },
  )
  // Accepts every protocol, and sends all bytes back.
  server.on('upgrade', ({ url, headers }: IncomingMessage, socket: Duplex) => {
    calls.push(url ?? '')
    socket.on('error', () => socket.destroy())
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\n\r\n`)
    socket.pipe(socket)
  })
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
  const caBundle = Buffer.from(certificates.readText('ca.pem')).toString('base64')
  for (const [name, group] of Object.entries(aggregatedGroups)) {
    const service = { namespace: 'default', name, port: name === 'external' ? port : 443 }
    await create('/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: `v1.${group}` },
      spec: { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10, caBundle, service },
    })
  }
}

/**
 * Asks a server to change to a protocol, and sends a text. Resolves to the protocol and the text that came back, or to the status of a normal
 * response.
 */
export function sendThroughUpgrade({ url, token }: ServerAccess, path: string, { protocol, text }: UpgradeOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const websocket = { 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }
    const request = requestHttps(new URL(path, url), {
      headers: {
        authorization: `Bearer ${token}`,
        connection: 'Upgrade',
        upgrade: protocol,
        ...(protocol === 'websocket' && websocket),
      },
      rejectUnauthorized: false,
      agent: false,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      response.resume()
      resolve(String(response.statusCode))
    })
    request.on('upgrade', ({ headers }, socket, head) => {
      let received = head.toString()
      const finish = (): void => {
        if (received.length < text.length) return
        resolve(`${headers.upgrade}: ${received}`)
        socket.destroy()
      }
      socket.on('error', reject)
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString()
        finish()
      })
      socket.write(text)
    })
    request.end()
  })
}

interface ServerAccess {
  readonly url: string
  readonly token: string
}

interface UpgradeOptions {
  readonly protocol: string
  readonly text: string
}
