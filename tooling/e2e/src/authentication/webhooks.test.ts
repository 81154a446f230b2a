import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { issueCertificates } from '../kubelet/issue-certificates.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'

const openssl = findOpenssl()

interface Review {
  readonly kind: string
  readonly spec: {
    readonly token?: string
    readonly user?: string
    readonly resourceAttributes?: { readonly verb: string; readonly resource: string; readonly namespace?: string }
  }
}

test.skipIf(openssl === undefined)('webhooks authenticate and authorize users, over mutual TLS', { timeout: 120_000 }, async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-webhooks-'))
  const certificates = issueCertificates(openssl ?? '', directory, { hook: 'IP:127.0.0.1', server: 'DNS:server' })
  const reviews: Review[] = []
  const clients = new Set<string>()
  const answer = ({ kind, spec }: Review): object => {
    if (kind === 'TokenReview') return { authenticated: spec.token === 'hooked', user: { username: 'carol', groups: ['hooked'] } }
    const { verb } = spec.resourceAttributes ?? { verb: '' }
    return { allowed: verb === 'list', denied: verb === 'delete', reason: `said of ${verb}` }
  }
  const tls = {
    cert: certificates.readText('hook.pem'),
    key: certificates.readText('hook.key'),
    ca: certificates.readText('ca.pem'),
    requestCert: true,
  }
  const hook = createServer(tls, (request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const review = JSON.parse(text) as Review
      reviews.push(review)
      clients.add((request.socket as TLSSocket).getPeerCertificate().subject.CN as string)
      response.end(JSON.stringify({ ...review, status: answer(review) }))
    })
  })
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  const writeFile = (name: string, content: object): string => {
    writeFileSync(path.join(directory, name), JSON.stringify(content))
    return path.join(directory, name)
  }
  const kubeconfig = writeFile('kubeconfig', {
    clusters: [
      {
        name: 'c',
        cluster: { server: `https://127.0.0.1:${(hook.address() as AddressInfo).port}/review`, 'certificate-authority': 'ca.pem' },
      },
    ],
    users: [{ name: 'u', user: { 'client-certificate': 'server.pem', 'client-key': 'server.key' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  })
  const webhook = {
    timeout: '5s',
    subjectAccessReviewVersion: 'v1',
    matchConditionSubjectAccessReviewVersion: 'v1',
    failurePolicy: 'Deny',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: kubeconfig },
    matchConditions: [
      { expression: "request.user == 'carol'" },
      { expression: "has(request.resourceAttributes) && request.resourceAttributes.namespace != 'spared'" },
    ],
  }
  const config = writeFile('authorization.json', {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthorizationConfiguration',
    authorizers: [
      { type: 'Webhook', name: 'hook.example.com', webhook },
      { type: 'RBAC', name: 'rbac' },
    ],
  })
  {
    await using server = await startKeelsonProcess({
      flags: [
        `--authorization-config=${config}`,
        `--authentication-token-webhook-config-file=${kubeconfig}`,
        '--authentication-token-webhook-version=v1',
      ],
    })
    using carol = new HttpsClient(server.url, 'hooked')
    const get = async (method: string, target: string) => carol.request(method, target)
    expect((await get('GET', '/api/v1/namespaces/default/pods')).status).toBe(200)
    const refused = await get('DELETE', '/api/v1/namespaces/default/pods/a')
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('User \\"carol\\" cannot delete resource \\"pods\\"')
    expect(refused.text).toContain('said of delete')
    const decided = reviews.filter(({ kind }) => kind === 'SubjectAccessReview').length
    await get('GET', '/api/v1/namespaces/default/pods')
    expect((await get('GET', '/api/v1/namespaces/spared/pods')).status).toBe(403)
    expect((await carol.request('GET', '/api/v1/namespaces/default/pods', { token: 'alicetoken' })).status).toBe(403)
    expect((await carol.request('GET', '/api/v1/namespaces/default/pods', { token: 'unknown' })).status).toBe(401)
    // The webhook got no more requests, because its decisions are cached and it is not asked about other users and namespaces.
    expect(reviews.filter(({ kind }) => kind === 'SubjectAccessReview').length).toBe(decided)
    expect(reviews.filter(({ spec }) => spec.token === 'hooked').length).toBe(1)
    expect([...clients]).toEqual(['server'])

    hook.closeAllConnections()
    await new Promise((resolve) => hook.close(resolve))
    const failed = await get('GET', '/api/v1/namespaces/default/configmaps')
    expect(failed.status).toBe(500)
    expect(failed.text).toMatch(
      /^Internal Server Error: "\/api\/v1\/namespaces\/default\/configmaps": Post "https:\/\/127.0.0.1:\d+\/review\?timeout=5s": dial tcp 127.0.0.1:\d+: connect: connection refused\n$/,
    )
    using admin = new HttpsClient(server.url, server.token)
    const { text } = await admin.request('GET', '/metrics')
    expect(text).toContain('apiserver_authorization_webhook_evaluations_total{name="hook.example.com",result="error"} 1')
    expect(text).toMatch(/apiserver_authorization_match_condition_exclusions_total\{name="hook.example.com",type="Webhook"\} \d/)
  }
  rmSync(directory, { recursive: true })
})
