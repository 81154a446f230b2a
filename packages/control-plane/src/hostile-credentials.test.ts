import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askServer, askServerForText } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const issuer = 'https://kubernetes.default.svc'
const accounts = '/api/v1/namespaces/default/serviceaccounts'
const secrets = '/api/v1/namespaces/default/secrets'

let directory: string
let chain: ServerChain
/** Text of all log messages. */
let logged = ''
let accountUid: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-hostile-'))
  const signingKeyFile = path.join(directory, 'sa.key')
  await writeFile(signingKeyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 })
  chain = await startChain({
    authentication: { serviceAccounts: { signingKeyFile }, bootstrapTokens: true },
    diagnostics: { logRequests: true },
    log: (_level, text, fields) => (logged += `${text} ${JSON.stringify(fields)}\n`),
  })
  accountUid = (await create<{ metadata: { uid: string } }>(accounts, { metadata: { name: 'builder' } })).metadata.uid
})
afterAll(async () => {
  await chain.close()
  await rm(directory, { recursive: true })
})
beforeEach(() => void (logged = ''))

async function create<T>(target: string, body: object): Promise<T> {
  const answer = await askServer<T & { message?: string }>(chain, 'POST', target, { body })
  expect([answer.status, answer.body.message]).toEqual([201, undefined])
  return answer.body
}

/** Returns the name of the user to whom the token belongs. Returns undefined if the token is rejected. */
async function authenticateToken(token: string): Promise<string | undefined> {
  const { status, body } = await askServer<{ message: string }>(chain, 'GET', '/api/v1/nodes', { token })
  if (status === 401) return undefined
  expect(status).toBe(403)
  return /User "([^"]*)"/.exec(body.message)?.[1]
}

async function readErrorCount(): Promise<number> {
  const { text } = await askServerForText(chain, 'GET', '/metrics')
  return Number(/^authentication_attempts\{result="error"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

const encode = (part: object | string): string => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

function signToken(payload: object, header: object | string = { alg: 'RS256' }): string {
  const signedPart = `${encode(header)}.${encode(payload)}`
  return `${signedPart}.${sign('sha256', Buffer.from(signedPart), privateKey).toString('base64url')}`
}

function createPayload(overrides: object = {}): object {
  const now = Math.floor(Date.now() / 1000)
  return {
    iss: issuer,
    aud: [issuer],
    sub: 'system:serviceaccount:default:builder',
    iat: now,
    nbf: now,
    exp: now + 600,
    'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'builder', uid: accountUid } },
    ...overrides,
  }
}

function withHmac(): string {
  const signedPart = `${encode({ alg: 'HS256' })}.${encode(createPayload())}`
  const secret = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })
  return `${signedPart}.${createHmac('sha256', secret).update(signedPart).digest('base64url')}`
}

const later = Math.floor(Date.now() / 1000) + 3600

describe('a service account token', () => {
  test('accepts a service account token with a valid signature', async () => {
    expect(await authenticateToken(signToken(createPayload()))).toBe('system:serviceaccount:default:builder')
  })

  test.each<[string, () => string, string]>([
    ['without a signature', () => `${encode({ alg: 'none' })}.${encode(createPayload())}.`, 'invalid bearer token'],
    ['whose signature was removed', () => signToken(createPayload()).replace(/[^.]+$/, ''), 'invalid bearer token'],
    ['with the algorithm none and a signature', () => signToken(createPayload(), { alg: 'none' }), 'error in cryptographic primitive'],
    ['keyed with the public key', withHmac, 'error in cryptographic primitive'],
    ['of another algorithm', () => signToken(createPayload(), { alg: 'PS256' }), 'error in cryptographic primitive'],
    ['with an unknown kid', () => signToken(createPayload(), { alg: 'RS256', kid: 'x' }), 'invalid signature, no keys found'],
    ['with a kid that is a path', () => signToken(createPayload(), { alg: 'RS256', kid: '../../dev/null' }), 'no keys found'],
    ['with two kids', () => signToken(createPayload(), '{"alg":"RS256","kid":"x","kid":""}'), 'repeats the member'],
    [
      'with its own key',
      () => signToken(createPayload(), { alg: 'RS256', jwk: {}, jku: 'https://evil.example', kid: 'x' }),
      'no keys found',
    ],
    ['of the future', () => signToken(createPayload({ nbf: later, iat: later })), 'service account token is not valid yet'],
    ['issued in the future', () => signToken(createPayload({ iat: later })), 'service account token is issued in the future'],
    ['that has expired', () => signToken(createPayload({ exp: 1 })), 'service account token has expired'],
    ['for another audience', () => signToken(createPayload({ aud: ['vault'] })), 'token audiences ["vault"] is invalid'],
    ['of another issuer', () => signToken(createPayload({ iss: 'https://evil.example' })), 'invalid bearer token'],
    [
      'of an account that is gone',
      () => signToken(createPayload({ 'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'gone', uid: 'x' } } })),
      'serviceaccounts "gone" not found',
    ],
    [
      'of a pod that is gone',
      () =>
        signToken(
          createPayload({
            'kubernetes.io': {
              namespace: 'default',
              serviceaccount: { name: 'builder', uid: accountUid },
              pod: { name: 'gone', uid: 'x' },
            },
          }),
        ),
      'service account token has been invalidated',
    ],
  ])('%s is refused, counted, and not logged', async (_, make, reason) => {
    const token = make()
    const oldCount = await readErrorCount()
    expect(await authenticateToken(token)).toBeUndefined()
    expect(await readErrorCount()).toBe(oldCount + 1)
    expect(logged).toContain('Unable to authenticate the request')
    expect(logged).toContain(JSON.stringify(reason).slice(1, -1))
    for (const part of token.split('.')) if (part.length > 20) expect(logged).not.toContain(part)
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
    const { status } = await create<{ status: { authenticated?: boolean; error: string } }>(
      '/apis/authentication.k8s.io/v1/tokenreviews',
      review,
    )
    expect(status.authenticated).toBeUndefined()
    expect(status.error).toContain(reason)
  })

  test('a token in a secret is valid until the secret is deleted, and its use labels the secret', async () => {
    const prefix = 'kubernetes.io/serviceaccount/'
    const token = signToken({
      iss: 'kubernetes/serviceaccount',
      sub: 'system:serviceaccount:default:builder',
      [`${prefix}namespace`]: 'default',
      [`${prefix}secret.name`]: 'builder-token',
      [`${prefix}service-account.name`]: 'builder',
      [`${prefix}service-account.uid`]: accountUid,
    })
    expect(await authenticateToken(token)).toBeUndefined()
    await create(secrets, {
      metadata: { name: 'builder-token', annotations: { 'kubernetes.io/service-account.name': 'builder' } },
      type: 'kubernetes.io/service-account-token',
      data: { token: Buffer.from(token).toString('base64') },
    })
    expect(await authenticateToken(token)).toBe('system:serviceaccount:default:builder')
    const readSecretLabels = async (): Promise<unknown> =>
      (await askServer<{ metadata: { labels?: object } }>(chain, 'GET', `${secrets}/builder-token`)).body.metadata.labels
    await expect.poll(readSecretLabels).toEqual({ 'kubernetes.io/legacy-token-last-used': new Date().toISOString().slice(0, 10) })
    await askServer(chain, 'DELETE', `${secrets}/builder-token`)
    await expect.poll(() => authenticateToken(token)).toBeUndefined()
  })
})

test('a bootstrap token authenticates a node that joins, until its secret is deleted', async () => {
  const stringData = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' }
  const target = '/api/v1/namespaces/kube-system/secrets'
  await create(target, { metadata: { name: 'bootstrap-token-abcdef' }, type: 'bootstrap.kubernetes.io/token', stringData })
  expect(await authenticateToken('abcdef.0123456789abcdef')).toBe('system:bootstrap:abcdef')
  expect(await authenticateToken('abcdef.0123456789abcdee')).toBeUndefined()
  await askServer(chain, 'DELETE', `${target}/bootstrap-token-abcdef`)
  await expect.poll(() => authenticateToken('abcdef.0123456789abcdef')).toBeUndefined()
  expect(logged).not.toContain('0123456789')
})

describe('headers that name another user', () => {
  /**
   * Sends a request with the service account `builder` and with the given additional headers, byte for byte. Returns the status and message
   * of the response.
   */
  async function listNodes(...flags: readonly string[]): Promise<string> {
    const headers = ['Host', 'localhost', 'Accept', 'application/json', 'Authorization', `Bearer ${signToken(createPayload())}`, ...flags]
    const clientRequest = request(`${chain.url}/api/v1/nodes`, { ca: chain.certificateAuthority, agent: false, headers }).end()
    const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage]
    const { message } = JSON.parse(Buffer.concat(await answer.toArray()).toString()) as { message: string }
    return `${answer.statusCode} ${message}`
  }
  const asItself = '403 nodes is forbidden: User "system:serviceaccount:default:builder" cannot list resource "nodes"'
  const formatForbidden = (verb: string) =>
    `403 nodes is forbidden: User "system:serviceaccount:default:builder" cannot ${verb} resource "nodes"`

  test.each([
    ['of a front proxy', ['X-Remote-User', 'admin', 'X-Remote-Group', 'system:masters', 'x-remote-extra-a', 'b'], asItself],
    ['of a front proxy, twice', ['X-REMOTE-USER', 'a', 'x-remote-user', 'b'], asItself],
    ['with underscores', ['Impersonate_User', 'admin', 'X_Remote_User', 'admin', 'Impersonate_Group', 'system:masters'], asItself],
    ['with another prefix', ['X-Impersonate-User', 'admin', 'Impersonate-Users', 'admin'], asItself],
    ['of which the first is empty', ['Impersonate-User', '', 'Impersonate-User', 'admin'], asItself],
    ['in capitals', ['IMPERSONATE-USER', 'admin'], formatForbidden('impersonate-on:user-info:list')],
    ['twice', ['Impersonate-User', 'bob', 'impersonate-user', 'admin'], formatForbidden('impersonate-on:user-info:list')],
    [
      'of an administrator',
      ['Impersonate-User', 'x', 'Impersonate-Group', 'system:masters'],
      formatForbidden('impersonate-on:user-info:list'),
    ],
    ['of a node', ['Impersonate-User', 'system:node:n'], formatForbidden('impersonate-on:arbitrary-node:list')],
    [
      'without a user',
      ['Impersonate-Group', 'system:masters'],
      '400 requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"system:masters"}',
    ],
  ])('%s', async (_, headers, expected) => expect(await listNodes(...headers)).toContain(expected))
})
