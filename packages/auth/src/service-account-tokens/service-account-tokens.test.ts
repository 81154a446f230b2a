import { generateKeyPairSync, sign } from 'node:crypto'
import type { UserInfo } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, test } from 'vitest'
import { createTokenMetrics } from '../token-metrics.ts'
import { createServiceAccountAuthenticator } from './service-account-authenticator.ts'
import type { BoundObject } from './service-account-authenticator.ts'
import { buildOpenIdDocuments } from './open-id-documents.ts'
import { createTokenIssuer } from './token-issuer.ts'
import { readSigningKey, readVerificationKeys } from './token-keys.ts'
import type { SigningKey } from './token-keys.ts'
import { createTokenVerifier } from './token-verifier.ts'
import type { TokenVerifier } from './token-verifier.ts'
import { buildTokenPayload } from './claims.ts'
import type { ServiceAccountClaims } from './claims.ts'

const issuer = 'https://issuer.example'
const start = Date.parse('2026-01-01T00:00:00Z')

const pems = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
}

const claims: ServiceAccountClaims = {
  id: 'id-1',
  namespace: 'default',
  serviceAccount: { name: 'builder', uid: 'sa-uid' },
  audiences: [issuer],
  expirationSeconds: 3600,
}

function createVerifier(pem: string): TokenVerifier {
  const keys = readVerificationKeys(pem)
  return createTokenVerifier({ keys: (id) => keys.filter((key) => id === '' || id === key.id) })
}

function setUp({ pem = pems.ES256, issuers = [issuer] } = {}) {
  let now = start
  const clock = { now: () => now, after: () => () => {} }
  const objects = new Map<string, BoundObject>([['serviceaccounts/default/builder', { uid: 'sa-uid' }]])
  const key = readSigningKey(pem)
  const authenticator = createServiceAccountAuthenticator({
    verifier: createVerifier(pem),
    issuers,
    audiences: [issuer],
    getter: async (resource, namespace, name) => objects.get(`${resource}/${namespace}/${name}`),
    clock,
  })
  return {
    issuer: createTokenIssuer({ issuer, key, clock }),
    authenticate: async (token: string): Promise<UserInfo | undefined> => {
      const result = await authenticator.authenticateToken(token)
      return result === undefined || 'rejected' in result ? undefined : result
    },
    reject: async (token: string): Promise<unknown> => authenticator.authenticateToken(token),
    objects,
    pass: (seconds: number) => void (now += seconds * 1000),
  }
}

/** Signs a token with the given header and payload, which need not be valid. */
async function signParts(header: object | string, payload: object | string, key: SigningKey): Promise<string> {
  const encode = (part: object | string): string => (typeof part === 'string' ? part : JSON.stringify(part))
  const signed = [header, payload].map((part) => Buffer.from(encode(part)).toString('base64url')).join('.')
  return `${signed}.${sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

/** Authenticates a token and returns the objects that were looked up. */
async function listLookups(token: string): Promise<readonly string[]> {
  const usernames: string[] = []
  const recordLookup = async (...segments: readonly string[]): Promise<undefined> => void usernames.push(segments.join('/'))
  const verifier = createVerifier(pems.ES256)
  const clock = { now: () => start, after: () => () => {} }
  await createServiceAccountAuthenticator({
    verifier,
    issuers: [issuer],
    audiences: [issuer],
    getter: recordLookup,
    clock,
  }).authenticateToken(token)
  return usernames
}

for (const [algorithm, pem] of Object.entries(pems)) {
  test(`${algorithm}: authenticates a token as its service account`, async () => {
    const { issuer, authenticate } = setUp({ pem })
    const token = await issuer.issue(claims)
    expect(JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())).toEqual({ alg: algorithm, kid: readSigningKey(pem).id })
    expect(await authenticate(token)).toEqual({
      name: 'system:serviceaccount:default:builder',
      uid: 'sa-uid',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id-1'] },
    })
  })
}

test('rejects tokens with changed bytes, another key or another issuer', async () => {
  const { issuer, authenticate } = setUp()
  const token = await issuer.issue(claims)
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const stronger = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('builder', 'admin')).toString('base64url')
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
  for (const forged of [
    `${header}.${stronger}.${signature}`,
    `${unsigned}.${payload}.`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    '..',
    'a.b.c',
  ])
    expect(await authenticate(forged)).toBeUndefined()
  expect(await authenticate(await setUp({ pem: pems.ES384 }).issuer.issue(claims))).toBeUndefined()
  expect(await setUp({ issuers: ['https://other.example'] }).authenticate(token)).toBeUndefined()
  expect(await authenticate(await issuer.issue({ ...claims, audiences: ['elsewhere'] }))).toBeUndefined()
  expect(await authenticate(token)).toBeDefined()
})

test('rejects other encodings of a valid token', async () => {
  for (const pem of [pems.RS256, pems.ES256]) {
    const { issuer, authenticate } = setUp({ pem })
    const token = await issuer.issue(claims)
    const [header, payload, signature] = token.split('.') as [string, string, string]
    const withBase64 = Buffer.from(signature, 'base64url').toString('base64')
    for (const other of [
      `${token}=`,
      `${token}==`,
      `${header}=.${payload}.${signature}`,
      `${header}.${payload}=.${signature}`,
      `${header}.${payload}.${signature.slice(0, 9)}!${signature.slice(9)}`,
      `${header}.${payload}.${signature.slice(0, 9)} ${signature.slice(9)}`,
      `${header}.${payload}.${signature}\n`,
      ...(/[+/]/.test(withBase64) ? [`${header}.${payload}.${withBase64}`] : []),
      ` ${token}`,
    ])
      expect(await authenticate(other)).toBeUndefined()
    expect(await authenticate(token)).toBeDefined()
  }
})

test('rejects critical extensions and invalid object names, even if the signature is valid', async () => {
  const { authenticate } = setUp()
  const key = readSigningKey(pems.ES256)
  const payload = buildTokenPayload(claims, issuer, start)
  const signToken = (overrides: object, changed: object = payload): Promise<string> =>
    signParts({ alg: key.algorithm, kid: key.id, ...overrides }, changed, key)
  expect(await authenticate(await signToken({}))).toBeDefined()
  for (const more of [{ crit: ['x'], x: 1 }, { crit: ['b64'], b64: true }, { crit: [] }, { b64: false }])
    expect(await authenticate(await signToken(more))).toBeUndefined()
  const privateClaims = payload['kubernetes.io']
  for (const changed of [
    { namespace: '../x' },
    { namespace: '' },
    { namespace: '..' },
    { serviceaccount: { name: '../x', uid: 'sa-uid' } },
    { pod: { name: '', uid: 'u' } },
    { secret: { name: 'a/b', uid: 'u' } },
  ])
    expect(await listLookups(await signToken({}, { ...payload, 'kubernetes.io': { ...privateClaims, ...changed } }))).toEqual([])
})

test('rejects unknown and duplicate members of the header', async () => {
  const { reject } = setUp()
  const key = readSigningKey(pems.ES256)
  const payload = buildTokenPayload(claims, issuer, start)
  expect(await reject(await signParts({ alg: 'ES256', kid: 'other' }, payload, key))).toEqual({
    rejected: 'invalid signature, no keys found',
  })
  expect(await reject(await signParts({ alg: 'ES256', kid: 7 }, payload, key))).toBeUndefined()
  expect(await reject(await signParts({ alg: 'ES256' }, payload, key))).toMatchObject({ uid: 'sa-uid' })
  const twice = `{"alg":"ES256","kid":"other","kid":${JSON.stringify(key.id)}}`
  expect(await reject(await signParts(twice, payload, key))).toEqual({ rejected: 'the token repeats the member "kid"' })
  const other = JSON.stringify(payload).replace('"sub"', '"sub":"x","sub"')
  expect(await reject(await signParts({ alg: 'ES256' }, other, key))).toEqual({ rejected: 'the token repeats the member "sub"' })
})

test.each([
  [{ audiences: ['elsewhere'] }, 0, `token audiences ["elsewhere"] is invalid for the target audiences ["${issuer}"]`],
  [{}, 3661, 'service account token has expired'],
  [{}, -61, 'service account token is not valid yet'],
  [{ serviceAccount: { name: 'gone', uid: 'x' } }, 0, 'serviceaccounts "gone" not found'],
  [{ serviceAccount: { name: 'builder', uid: 'x' } }, 0, 'service account UID (sa-uid) does not match claim (x)'],
  [{ pod: { name: 'gone', uid: 'x' } }, 0, 'service account token has been invalidated'],
  [{ pod: { name: 'p', uid: 'x' } }, 0, 'pod UID (pod-uid) does not match service account pod ref claim (x)'],
  [{ secret: { name: 's', uid: 'x' } }, 0, 'secret UID (secret-uid) does not match service account secret ref claim (x)'],
  [{ node: { name: 'n', uid: 'x' } }, 0, 'node UID (node-uid) does not match service account node ref claim (x)'],
])('rejects a token with %j after %d seconds, with a reason', async (more, seconds, rejected) => {
  const { issuer, reject, objects, pass } = setUp()
  for (const [name, uid] of [
    ['pods/default/p', 'pod-uid'],
    ['secrets/default/s', 'secret-uid'],
    ['nodes//n', 'node-uid'],
  ] as const)
    objects.set(name, { uid })
  const token = await issuer.issue({ ...claims, ...more })
  pass(seconds)
  expect(await reject(token)).toEqual({ rejected })
})

test('rejects an HMAC keyed with the public key', async () => {
  const { authenticate, issuer } = setUp({ pem: pems.RS256 })
  const token = await issuer.issue(claims)
  const { createHmac, createPublicKey } = await import('node:crypto')
  const header = Buffer.from(JSON.stringify({ alg: 'HS256' })).toString('base64url')
  const signed = `${header}.${token.split('.')[1]}`
  const secret = createPublicKey(pems.RS256).export({ type: 'spki', format: 'pem' })
  expect(await authenticate(`${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`)).toBeUndefined()
})

test('rejects expired tokens, with a tolerance of one minute', async () => {
  const { issuer, authenticate, pass } = setUp()
  const token = await issuer.issue(claims)
  pass(3600 + 60)
  expect(await authenticate(token)).toBeDefined()
  pass(1)
  expect(await authenticate(token)).toBeUndefined()
  pass(-3600 - 61 - 61)
  expect(await authenticate(token)).toBeUndefined()
})

test('rejects tokens whose bound objects were deleted', async () => {
  const { issuer, authenticate, objects } = setUp()
  const bound = await issuer.issue({ ...claims, pod: { name: 'p', uid: 'pod-uid' }, node: { name: 'n', uid: 'node-uid' } })
  expect(await authenticate(bound)).toBeUndefined()
  objects.set('pods/default/p', { uid: 'pod-uid' })
  expect((await authenticate(bound))?.extra).toEqual({
    'authentication.kubernetes.io/pod-name': ['p'],
    'authentication.kubernetes.io/pod-uid': ['pod-uid'],
    'authentication.kubernetes.io/credential-id': ['JTI=id-1'],
    'authentication.kubernetes.io/node-name': ['n'],
    'authentication.kubernetes.io/node-uid': ['node-uid'],
  })
  objects.set('pods/default/p', { uid: 'pod-uid', deletionTimestamp: '2025-12-31T23:58:59Z' })
  expect(await authenticate(bound)).toBeUndefined()
  objects.set('pods/default/p', { uid: 'another' })
  expect(await authenticate(bound)).toBeUndefined()

  const ofNode = await issuer.issue({ ...claims, node: { name: 'n', uid: 'node-uid' } })
  expect(await authenticate(ofNode)).toBeUndefined()
  objects.set('nodes//n', { uid: 'node-uid' })
  expect(await authenticate(ofNode)).toBeDefined()
  objects.delete('serviceaccounts/default/builder')
  expect(await authenticate(ofNode)).toBeUndefined()
})

test('publishes discovery documents with which a standard library verifies a token', async () => {
  const { issuer: tokens } = setUp({ pem: pems.RS256 })
  const token = await tokens.issue(claims)
  const { configuration, keySet } = buildOpenIdDocuments(issuer, `${issuer}/openid/v1/jwks`, readVerificationKeys(pems.RS256 + pems.ES256))
  expect(JSON.parse(configuration)).toEqual({
    issuer,
    jwks_uri: `${issuer}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
  })
  const { keys } = JSON.parse(keySet) as { keys: { kid: string; d?: string }[] }
  expect(keys.every((published) => published.d === undefined)).toBe(true)
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }
  const key = await crypto.subtle.importKey(
    'jwk',
    keys.find((candidate) => candidate.kid === kid) as object,
    { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  expect(
    await crypto.subtle.verify('RSASSA-PKCS1-v1_5', key, Buffer.from(signature, 'base64url'), Buffer.from(`${header}.${payload}`)),
  ).toBe(true)
})

test('rejects keys that cannot sign tokens', () => {
  const ed = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  expect(() => readSigningKey(ed)).toThrow('must be RSA or ECDSA')
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' })
  expect(() => readVerificationKeys(short)).toThrow('an RSA key of 1024 bits cannot sign tokens: it must have at least 2048')
  expect(() => readSigningKey('nothing')).toThrow('does not contain a valid RSA or ECDSA private key')
  expect(() => readVerificationKeys('nothing')).toThrow('does not contain any valid RSA or ECDSA public keys')
  expect(() => buildOpenIdDocuments('kubernetes/serviceaccount', 'https://x/', [])).toThrow('issuer URL must use https scheme')
})

test('checks the issuer of cached tokens, and counts a cache miss once', async () => {
  const registry = createMetricsRegistry()
  const keys = readVerificationKeys(pems.ES256)
  const verifier = createTokenVerifier({ keys: () => keys, metrics: createTokenMetrics(registry) })
  const token = await setUp().issuer.issue(claims)
  const [acceptedIssuers, otherIssuers] = [new Set([issuer]), new Set(['https://other.example'])]
  expect(await verifier.verify(token, otherIssuers)).toBeUndefined()
  expect(await verifier.verify(token, acceptedIssuers)).toMatchObject({ payload: { iss: issuer } })
  expect(await verifier.verify(token, otherIssuers)).toBeUndefined()
  expect(await verifier.verify(token, acceptedIssuers)).toMatchObject({ payload: { iss: issuer } })
  const text = registry.text()
  expect(text).toContain('authentication_token_cache_request_total{status="hit"} 1')
  expect(text).toContain('authentication_token_cache_request_total{status="miss"} 1')
})
