import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { issueCertificates } from '../kubelet/issue-certificates.ts'
import type { IssuedCertificates } from '../kubelet/issue-certificates.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import type { KeelsonProcess } from '../keelson-process.ts'
import { Kubectl } from '../kubectl/kubectl.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import { startIdentityProvider } from './identity-provider.ts'
import type { IdentityProvider } from './identity-provider.ts'

const openssl = findOpenssl()
const kubectl = findKubectl()
const audience = 'https://kubernetes.example.com'
const short = 'https://short.example.com'

interface WhoAmI {
  readonly status: {
    readonly userInfo: { readonly username: string; readonly uid?: string; readonly groups: string[]; readonly extra?: object }
  }
}

async function requestWhoAmI(server: KeelsonProcess, token: string): Promise<WhoAmI['status']['userInfo'] | number> {
  using client = new HttpsClient(server.url, token)
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const answer = await client.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: review })
  return answer.status === 201 ? answer.parseJson<WhoAmI>().status.userInfo : answer.status
}

describe.skipIf(openssl === undefined)('users of an identity provider (npm package oidc-provider)', { timeout: 120_000 }, () => {
  let directory: string
  let certificates: IssuedCertificates
  let provider: IdentityProvider
  const replaceFile = (name: string, text: string): string => {
    const target = path.join(directory, name)
    writeFileSync(`${target}.new`, text)
    renameSync(`${target}.new`, target)
    return target
  }

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'keelson-oidc-'))
    certificates = issueCertificates(openssl ?? '', directory, { provider: 'IP:127.0.0.1' })
    provider = await startIdentityProvider({
      certificate: certificates.readText('provider.pem'),
      key: certificates.readText('provider.key'),
      claims: { email: 'alice@example.com', email_verified: true, groups: ['dev'], team: { name: 'blue' } },
    })
  })
  afterAll(async () => {
    await provider[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true })
  })

  test('authenticate by flags: the server follows the rotation of keys, and rejects expired and foreign tokens', async () => {
    await using server = await startKeelsonProcess({
      flags: [
        `--oidc-issuer-url=${provider.issuer}`,
        `--oidc-client-id=${audience}`,
        `--oidc-ca-file=${certificates.getPath('ca.pem')}`,
        '--oidc-username-claim=email',
        '--oidc-groups-claim=groups',
        '--oidc-groups-prefix=oidc:',
        '--oidc-required-claim=email=alice@example.com',
      ],
    })
    const first = await provider.requestToken(audience)
    await expect
      .poll(() => requestWhoAmI(server, first))
      .toMatchObject({
        username: 'alice@example.com',
        groups: ['oidc:dev', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
      })
    expect(await requestWhoAmI(server, await provider.requestToken('https://other.example.com'))).toBe(401)

    provider.rotate()
    expect(await requestWhoAmI(server, await provider.requestToken(audience))).toMatchObject({ username: 'alice@example.com' })
  })

  const formatConfiguration = (...jwt: readonly object[]): string =>
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt,
      anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
    })
  const createIssuer = (): object => ({
    issuer: {
      url: provider.issuer,
      audiences: [audience, short],
      audienceMatchPolicy: 'MatchAny',
      certificateAuthority: certificates.readText('ca.pem'),
    },
    claimMappings: {
      username: { expression: "'oidc:' + claims.email.split('@')[0]" },
      groups: { expression: 'dyn(claims.groups).map(g, "oidc:" + g)' },
      uid: { expression: 'claims.sub' },
      extra: [{ key: 'example.com/team', valueExpression: 'claims.team.name' }],
    },
    claimValidationRules: [{ expression: 'claims.email_verified == true', message: 'the mail address must be verified' }],
    userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
  })

  test('authenticate by a file: the server maps claims, rejects an expired token, and stops accepting a removed issuer', async () => {
    const config = replaceFile('authentication.json', formatConfiguration(createIssuer()))
    await using server = await startKeelsonProcess({ flags: [`--authentication-config=${config}`] })
    const token = await provider.requestToken(audience)
    await expect
      .poll(() => requestWhoAmI(server, token))
      .toMatchObject({
        username: 'oidc:alice',
        uid: 'kubectl',
        groups: ['oidc:dev', 'system:authenticated'],
        extra: { 'example.com/team': ['blue'] },
      })
    using anonymous = new HttpsClient(server.url, '')
    const bare = { headers: { authorization: '' } }
    expect((await anonymous.request('GET', '/livez', bare)).status).toBe(200)
    expect((await anonymous.request('GET', '/version', bare)).status).toBe(401)

    const brief = await provider.requestToken(short)
    // The server caches authenticated tokens for ten seconds.
    await expect.poll(() => requestWhoAmI(server, brief), { timeout: 60_000, interval: 500 }).toBe(401)
    expect(await requestWhoAmI(server, token)).toMatchObject({ username: 'oidc:alice' })

    replaceFile('authentication.json', formatConfiguration())
    await expect.poll(() => requestWhoAmI(server, token), { timeout: 60_000, interval: 500 }).toBe(401)
    using admin = new HttpsClient(server.url, server.token)
    const { text } = await admin.request('GET', '/metrics')
    expect(text).toMatch(
      /apiserver_authentication_config_controller_automatic_reloads_total\{apiserver_id_hash="sha256:\w+",status="success"\} 1/,
    )
    expect(text).toMatch(
      /apiserver_authentication_jwt_authenticator_latency_seconds_count\{jwt_issuer_hash="sha256:\w+",result="success"\} \d/,
    )
    expect(text).not.toContain(token.split('.')[2])
  })

  test.skipIf(kubectl === undefined)('authenticate with kubectl, which gets its token from a plugin', async () => {
    const config = replaceFile('kubectl.json', formatConfiguration(createIssuer()))
    await using server = await startKeelsonProcess({ flags: [`--authentication-config=${config}`] })
    const token = await provider.requestToken(audience)
    await expect.poll(() => requestWhoAmI(server, token)).toMatchObject({ username: 'oidc:alice' })
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }
    const plugin = replaceFile('plugin.json', JSON.stringify(credential))
    const kubeconfig = replaceFile(
      'kubeconfig',
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: server.url, 'insecure-skip-tls-verify': true } }],
        users: [
          {
            name: 'u',
            user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'cat', args: [plugin], interactiveMode: 'Never' } },
          },
        ],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    )
    const user = new Kubectl(kubectl ?? '', { kubeconfig }, path.join(directory, 'cache'))
    expect(await user.run(['auth', 'whoami'])).toMatch(/Username +oidc:alice/)
    expect((await user.try(['get', 'pods'])).stderr).toContain('User "oidc:alice" cannot list resource "pods"')
  })
})
