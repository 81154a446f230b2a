import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClientAuthority, writeClientKubeconfig } from '../components/client-certificates.ts'
import { HttpsClient } from '../https-client.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import type { KeelsonProcess } from '../keelson-process.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'

const openssl = findOpenssl()

describe.skipIf(openssl === undefined)('kubelets with client certificates, under Node and NodeRestriction', () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-node-identity-'))
  const agents: https.Agent[] = []
  let server: KeelsonProcess
  /** Function that sends a request as a user. Returns the status code, and the message if the response is a Status. */
  type Ask = (method: string, path: string, body?: object) => Promise<string>
  let node: Ask
  let nodeWithoutGroup: Ask
  beforeAll(async () => {
    const authority = createClientAuthority(openssl!, directory)
    const flags = [`--client-ca-file=${authority.certificate}`, '--authorization-mode=Node', '--enable-admission-plugins=NodeRestriction']
    server = await startKeelsonProcess({ controllers: 'none', flags: [...flags, '--disable-admission-plugins=ServiceAccount'] })
    const authenticateAs = (user: string, group?: string): Ask => {
      writeClientKubeconfig(openssl!, authority, { user, ...(group !== undefined && { group }), server: server.url })
      const read = (suffix: string): Buffer => readFileSync(path.join(directory, `${user.replaceAll(':', '-')}.${suffix}`))
      const agent = new https.Agent({ keepAlive: true, cert: read('pem'), key: read('key'), rejectUnauthorized: false })
      agents.push(agent)
      return (method, target, body) => sendRequest(agent, `${server.url}${target}`, { method, body })
    }
    node = authenticateAs('system:node:n1', 'system:nodes')
    nodeWithoutGroup = authenticateAs('system:node:n2')
  })
  afterAll(async () => {
    for (const agent of agents) agent.destroy()
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  it('register their own node and no other', async () => {
    expect(await node('POST', '/api/v1/nodes', { metadata: { name: 'n1' } })).toBe('201')
    expect(await node('POST', '/api/v1/nodes', { metadata: { name: 'n2' } })).toBe(
      '403 nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    )
    expect(await node('GET', '/api/v1/nodes/n1')).toBe('200')
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
    expect(await node('POST', lease, { metadata: { name: 'n1' }, spec: { holderIdentity: 'n1' } })).toBe('201')
    expect(await node('POST', lease, { metadata: { name: 'n2' } })).toBe(
      '403 leases.coordination.k8s.io "n2" is forbidden: can only access node lease with the same name as the requesting node',
    )
  })

  it('report the status of their pods, and read the objects of these pods', async () => {
    const admin = new HttpsClient(server.url, server.token)
    const create = async (resource: string, body: object): Promise<void> => {
      expect((await admin.request('POST', `/api/v1/namespaces/default/${resource}`, { body })).status).toBe(201)
    }
    const containers = [{ name: 'c', image: 'i', envFrom: [{ configMapRef: { name: 'used' } }] }]
    for (const name of ['used', 'other']) await create('configmaps', { metadata: { name } })
    await create('pods', { metadata: { name: 'mine' }, spec: { nodeName: 'n1', containers } })
    await create('pods', { metadata: { name: 'theirs' }, spec: { nodeName: 'n2', containers: [{ name: 'c', image: 'i' }] } })
    await expect.poll(() => node('GET', '/api/v1/namespaces/default/configmaps/used')).toBe('200')
    const unrelated = "no relationship found between node 'n1' and this object"
    expect(await node('GET', '/api/v1/namespaces/default/configmaps/other')).toMatch(new RegExp(`^403 .*: ${unrelated}$`))
    const running = { status: { phase: 'Running' } }
    expect(await node('PATCH', '/api/v1/namespaces/default/pods/mine/status', running)).toBe('200')
    expect(await node('PATCH', '/api/v1/namespaces/default/pods/theirs/status', running)).toBe(
      '403 pods "theirs" is forbidden: node "n1" can only update pod status for pods with spec.nodeName set to itself',
    )
  })

  it('have no node permissions without the organization system:nodes', async () => {
    expect(await nodeWithoutGroup('GET', '/api/v1/nodes/n2')).toBe(
      '403 nodes "n2" is forbidden: User "system:node:n2" cannot get resource "nodes" in API group "" at the cluster scope',
    )
  })
})

function sendRequest(
  agent: https.Agent,
  url: string,
  { method, body }: { readonly method: string; readonly body: object | undefined },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const request = https.request(
      url,
      { agent, method, headers: { 'content-type': contentType, accept: 'application/json' } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const { message } = JSON.parse(Buffer.concat(chunks).toString()) as { message?: string }
          resolve([response.statusCode, message].filter((part) => part !== undefined).join(' '))
        })
      },
    )
    request.on('error', reject)
    request.end(body && JSON.stringify(body))
  })
}
