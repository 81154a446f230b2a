import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { HttpsClient } from '../https-client.ts'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { issueCertificates } from './issue-certificates.ts'
import { startTestKubelet } from './test-kubelet.ts'
import type { TestKubelet } from './test-kubelet.ts'

export interface ServerWithKubelet extends AsyncDisposable {
  readonly server: KeelsonProcess
  readonly kubelet: TestKubelet
  readonly client: HttpsClient
  /** Directory for files of the tests. It is removed at the end. */
  readonly directory: string
  /** Creates a Node object whose kubelet is the test kubelet at the given address. */
  makeNode(name: string, at: string, status?: object): Promise<void>
  /** Creates a running pod with one container `c`. */
  makePod(name: string, spec?: object, status?: object): Promise<void>
}

const merge = { 'content-type': 'application/merge-patch+json' }
const pods = '/api/v1/namespaces/default/pods'

/** Starts a server with additional flags, and a test kubelet. Creates the node `n` with an address of this machine, and the running pod `p` on it. */
export async function startServerWithKubelet(
  openssl: string,
  address = '127.0.0.1',
  flags: readonly string[] = [],
): Promise<ServerWithKubelet> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-kubelet-'))
  const certificates = issueCertificates(openssl, directory, { kubelet: `IP:${address}`, apiserver: 'DNS:apiserver' })
  const kubelet = await startTestKubelet({
    certificate: certificates.readText('kubelet.pem'),
    key: certificates.readText('kubelet.key'),
    authority: certificates.readText('ca.pem'),
    host: '0.0.0.0',
  })
  const server = await startKeelsonProcess({
    flags: [
      `--kubelet-client-certificate=${certificates.getPath('apiserver.pem')}`,
      `--kubelet-client-key=${certificates.getPath('apiserver.key')}`,
      `--kubelet-certificate-authority=${certificates.getPath('ca.pem')}`,
      '--kubelet-preferred-address-types=InternalIP',
      '--disable-admission-plugins=ServiceAccount',
      ...flags,
    ],
  })
  const client = new HttpsClient(server.url, server.token)

  async function makeNode(name: string, at: string, overrides: object = {}): Promise<void> {
    await expectStatus(201, 'POST', '/api/v1/nodes', { body: { metadata: { name } } })
    const daemonEndpoints = { kubeletEndpoint: { Port: kubelet.port } }
    const status = { addresses: [{ type: 'InternalIP', address: at }], daemonEndpoints, ...overrides }
    await expectStatus(200, 'PATCH', `/api/v1/nodes/${name}/status`, { body: { status }, headers: merge })
  }

  async function makePod(name: string, spec: object = {}, status?: object): Promise<void> {
    const containers = [{ name: 'c', image: 'busybox', ports: [{ containerPort: kubelet.port }] }]
    const tolerations = [{ operator: 'Exists' }]
    await expectStatus(201, 'POST', pods, { body: { metadata: { name }, spec: { containers, tolerations, ...spec } } })
    const running = { status: { phase: 'Running', containerStatuses: [{ name: 'c', ready: true, state: { running: {} } }], ...status } }
    await expectStatus(200, 'PATCH', `${pods}/${name}/status`, { body: running, headers: merge })
  }

  async function expectStatus(status: number, ...request: Parameters<HttpsClient['request']>): Promise<void> {
    const answer = await client.request(...request)
    if (answer.status !== status) throw new Error(`${request[0]} ${request[1]}: ${answer.text}`)
  }

  await makeNode('n', address)
  await makePod('p', { nodeName: 'n' })
  return {
    server,
    kubelet,
    client,
    directory,
    makeNode,
    makePod,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]()
      await server.stop()
      await kubelet[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
