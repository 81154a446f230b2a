import { createHmac } from 'node:crypto'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { settle } from '@keelson/apimachinery/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JwtConfiguration } from '../configuration/authentication-configuration.ts'
import { compileAuthentication } from '../configuration/validate-authentication-configuration.ts'
import { FakeProviders, createKey, signToken } from './fake-provider.fixture.ts'
import { createJwtAuthenticator } from './jwt-authenticator.ts'
import type { JwtAuthenticator } from './jwt-authenticator.ts'
import { createJwtMetrics } from './jwt-metrics.ts'

const issuer = 'https://issuer.example.com'
const [one, two, stranger] = [createKey('one'), createKey('two'), createKey('one')]
let providers: FakeProviders
beforeEach(() => {
  providers = new FakeProviders()
  providers.add(issuer, [one])
})

const base: JwtConfiguration = {
  issuer: { url: issuer, audiences: ['me'] },
  claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'g:' } },
}

async function open(change: Partial<JwtConfiguration> = {}, options: { readonly algorithms?: readonly string[] } = {}) {
  const { jwt, errors } = compileAuthentication({ jwt: [{ ...base, ...change }] }, [])
  expect(errors).toEqual([])
  const registry = createMetricsRegistry()
  const metrics = createJwtMetrics(registry, { apiServerIdHash: 'id', now: () => 1000 })
  const authenticator = createJwtAuthenticator({ issuers: jwt, dialer: providers.dialer, clock: providers.clock, metrics, ...options })
  await settle()
  return Object.assign(authenticator, { metrics: () => registry.text() })
}

const readSeconds = (): number => Math.floor(providers.clock.now() / 1000)
const createClaims = (overrides: object = {}): object => ({ iss: issuer, aud: 'me', sub: 'alice', exp: readSeconds() + 600, ...overrides })
const authenticate = async (authenticator: JwtAuthenticator, token: string) => authenticator.authenticateToken(token)

describe('a token of the issuer', () => {
  test('authenticates a user with groups and a credential id', async () => {
    const authenticator = await open()
    expect(await authenticate(authenticator, signToken(createClaims({ groups: ['dev', 'ops'], jti: 'j' }), one))).toEqual({
      name: 'oidc:alice',
      groups: ['g:dev', 'g:ops'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j'] },
    })
    expect(await authenticate(authenticator, signToken(createClaims({ groups: 'dev' }), one))).toMatchObject({ groups: ['g:dev'] })
    expect(authenticator.metrics()).toMatch(/latency_seconds_count\{jwt_issuer_hash="sha256:\w+",result="success"\} 2/)
    expect(authenticator.metrics()).toMatch(
      /jwks_fetch_last_timestamp_seconds\{apiserver_id_hash="id",jwt_issuer_hash="sha256:\w+",result="success"\} 1\n/,
    )
  })

  const now = '2023-11-14 22:13:20 +0000 UTC'
  test.each<[title: string, token: () => string, reason: string]>([
    [
      'expired',
      () => signToken(createClaims({ exp: readSeconds() - 1 }), one),
      'oidc: token is expired (Token Expiry: 2023-11-14 22:13:19 +0000 UTC)',
    ],
    [
      'without expiry',
      () => signToken(createClaims({ exp: undefined }), one),
      'oidc: token is expired (Token Expiry: 1970-01-01 00:00:00 +0000 UTC)',
    ],
    [
      'not yet valid',
      () => signToken(createClaims({ nbf: readSeconds() + 61 }), one),
      `oidc: current time ${now} before the nbf (not before) time: 2023-11-14 22:14:21 +0000 UTC`,
    ],
    ['for somebody else', () => signToken(createClaims({ aud: ['you'] }), one), 'oidc: expected audience "me" got ["you"]'],
    ['signed by a stranger with the same key id', () => signToken(createClaims(), stranger), signature],
    ['of a key that does not exist', () => signToken(createClaims(), two), signature],
    [
      'without a signature',
      () => `${signToken(createClaims(), one, { alg: 'none' }).split('.').slice(0, 2).join('.')}.AA`,
      formatAlgorithmError('none'),
    ],
    ['signed with the public key as a secret', createConfusedToken, formatAlgorithmError('HS256')],
    ['with a critical extension', () => signToken(createClaims(), one, { crit: ['b64'], b64: false }), 'oidc: malformed jwt'],
    ['with a changed payload', () => createTamperedToken(signToken(createClaims(), one)), signature],
  ])('is rejected: %s', async (_title, token, reason) => {
    const authenticator = await open({}, { algorithms: ['RS256'] })
    expect(await authenticate(authenticator, token())).toEqual({ rejected: `oidc: verify token: ${reason}` })
    expect(authenticator.metrics()).toMatch(/latency_seconds_count\{jwt_issuer_hash="sha256:\w+",result="failure"\} 1/)
  })

  test('is verified with each key if it has no key id', async () => {
    providers.add(issuer, [one, two])
    expect(await authenticate(await open(), signToken(createClaims(), two, { kid: undefined }))).toMatchObject({ name: 'oidc:alice' })
  })
})

const signature = 'failed to verify signature: failed to verify id token signature'
function formatAlgorithmError(name: string): string {
  return `oidc: id token signed with unsupported algorithm, expected ["RS256"] got "${name}"`
}
function createTamperedToken(token: string): string {
  const [header, , mac] = token.split('.')
  return [header, Buffer.from(JSON.stringify(createClaims({ sub: 'root' }))).toString('base64url'), mac].join('.')
}
function createConfusedToken(): string {
  const [header, payload] = [{ alg: 'HS256', kid: 'one' }, createClaims()].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return `${header}.${payload}.${createHmac('sha256', JSON.stringify(one.jwk)).update(`${header}.${payload}`).digest('base64url')}`
}

test('differs from tokens of other issuers and other text, which are not recognized', async () => {
  const authenticator = await open()
  for (const token of ['secret', 'a.b', 'a.b.c', signToken(createClaims({ iss: 'https://other' }), one)])
    expect(await authenticate(authenticator, token)).toBeUndefined()
})

describe('keys of the issuer', () => {
  const countFetches = (): number => providers.requests.filter(({ url }) => url.endsWith('/keys')).length

  test('are fetched for the first token with an unknown key, and cached', async () => {
    const authenticator = await open()
    expect(await authenticate(authenticator, signToken(createClaims(), one))).toMatchObject({ name: 'oidc:alice' })
    providers.add(issuer, [one, two])
    providers.clock.advance(5000)
    expect(await authenticate(authenticator, signToken(createClaims(), two))).toMatchObject({ name: 'oidc:alice' })
    expect(await authenticate(authenticator, signToken(createClaims(), one))).toMatchObject({ name: 'oidc:alice' })
    expect(countFetches()).toBe(2)
  })

  test('removed keys no longer verify tokens after the next fetch', async () => {
    const authenticator = await open()
    await authenticate(authenticator, signToken(createClaims(), one))
    providers.add(issuer, [two])
    providers.clock.advance(5000)
    await authenticate(authenticator, signToken(createClaims(), two))
    providers.clock.advance(5000)
    expect(await authenticate(authenticator, signToken(createClaims(), one))).toMatchObject({
      rejected: expect.stringContaining('failed to verify') as string,
    })
  })

  test('are fetched at most once per second, however many tokens arrive', async () => {
    const authenticator = await open()
    const forged = signToken(createClaims(), stranger)
    await Promise.all(Array.from({ length: 50 }, () => authenticate(authenticator, forged)))
    expect(countFetches()).toBe(1)
    providers.add(issuer, [one, two])
    const late = [forged, signToken(createClaims(), two), forged].map((token) => authenticate(authenticator, token))
    await settle()
    expect(countFetches()).toBe(1)
    providers.clock.advance(1000)
    expect((await Promise.all(late))[1]).toMatchObject({ name: 'oidc:alice' })
    expect(countFetches()).toBe(2)
  })

  test('the reason of a rejection names the failed fetch', async () => {
    const authenticator = await open()
    delete providers.documents[`${issuer}/keys`]
    expect(await authenticate(authenticator, signToken(createClaims(), one))).toEqual({
      rejected: `oidc: verify token: failed to verify signature: fetching keys Get "${issuer}/keys": connect: connection refused`,
    })
  })
})

describe('discovery', () => {
  const document = `${issuer}/.well-known/openid-configuration`
  test.each([
    [404, '404: no'],
    ['<html>', 'oidc: failed to decode provider discovery object: '],
    [{ issuer: 'https://evil' }, `oidc: issuer did not match the issuer returned by provider, expected "${issuer}" got "https://evil"`],
    [{ issuer }, 'provider did not return JWKS URL'],
    ['redirect http://plain.example.com/', 'unsupported protocol scheme "http"'],
  ])('fails with the response %j, and is retried', async (answer, problem) => {
    providers.documents[document] = answer
    const authenticator = await open()
    expect(authenticator.listProblems()).toEqual([expect.stringContaining(`oidc: authenticator for issuer "${issuer}" is not healthy: `)])
    expect(authenticator.listProblems()[0]).toContain(problem)
    expect(await authenticate(authenticator, signToken(createClaims(), one))).toEqual({ rejected: 'oidc: authenticator not initialized' })
    providers.add(issuer, [one])
    providers.clock.advance(10_000)
    await settle()
    expect(authenticator.listProblems()).toEqual([])
    expect(await authenticate(authenticator, signToken(createClaims(), one))).toMatchObject({ name: 'oidc:alice' })
  })

  test('supports discoveryURL, redirects and certificateAuthority', async () => {
    providers.documents['https://inside.example.com/discovery'] = 'redirect https://inside.example.com/there'
    providers.documents['https://inside.example.com/there'] = providers.documents[document]!
    delete providers.documents[document]
    const authenticator = await open({
      issuer: { ...base.issuer, discoveryURL: 'https://inside.example.com/discovery', egressSelectorType: 'cluster' },
    })
    expect(await authenticate(authenticator, signToken(createClaims(), one))).toMatchObject({ name: 'oidc:alice' })
    expect(providers.requests[0]).toMatchObject({ target: { network: 'cluster' } })
  })
})

describe('claims', () => {
  test.each<[title: string, change: Partial<JwtConfiguration>, claims: object, result: object]>([
    [
      'a verified mail address',
      { claimMappings: { username: { claim: 'email', prefix: '' } } },
      { email: 'a@b', email_verified: true },
      { name: 'a@b', groups: [] },
    ],
    [
      'an unverified mail address',
      { claimMappings: { username: { claim: 'email', prefix: '' } } },
      { email: 'a@b', email_verified: false },
      { rejected: 'oidc: email not verified' },
    ],
    [
      'no user name',
      { claimMappings: { username: { claim: 'name', prefix: '' } } },
      {},
      { rejected: 'oidc: parse username claims "name": claim not present' },
    ],
    [
      'a user name that is a number',
      { claimMappings: { username: { claim: 'sub', prefix: '' } } },
      { sub: 1 },
      { rejected: 'oidc: parse username claims "sub": json: cannot unmarshal number into Go value of type string' },
    ],
    [
      'expressions',
      {
        claimMappings: {
          username: { expression: '"x:" + claims.sub' },
          groups: { expression: 'claims.roles.split(",")' },
          uid: { expression: 'claims.id' },
          extra: [{ key: 'example.com/team', valueExpression: 'claims.team' }],
        },
      },
      { roles: 'a,b', id: '7', team: ['t', ''] },
      { name: 'x:alice', groups: ['a', 'b'], uid: '7', extra: { 'example.com/team': ['t'] } },
    ],
    [
      'an expression that fails',
      { claimMappings: { username: { expression: 'claims.nope' } } },
      {},
      { rejected: "oidc: error evaluating username claim expression: expression 'claims.nope' resulted in error: no such key: nope" },
    ],
    ['a required claim', { claimValidationRules: [{ claim: 'hd', requiredValue: 'a' }] }, { hd: 'a' }, { name: 'oidc:alice', groups: [] }],
    [
      'a missing required claim',
      { claimValidationRules: [{ claim: 'hd', requiredValue: 'a' }] },
      {},
      { rejected: 'oidc: required claim hd not present in ID token' },
    ],
    [
      'a wrong required claim',
      { claimValidationRules: [{ claim: 'hd', requiredValue: 'a' }] },
      { hd: 'b' },
      { rejected: 'oidc: required claim hd value does not match. Got = b, want = a' },
    ],
    [
      'a claim rule',
      { claimValidationRules: [{ expression: 'claims.exp - claims.iat <= 60', message: 'too long' }] },
      { iat: 0 },
      {
        rejected:
          "oidc: error evaluating claim validation expression: validation expression 'claims.exp - claims.iat <= 60' failed: too long",
      },
    ],
    [
      'a user rule',
      { userValidationRules: [{ expression: "!user.username.startsWith('oidc:a')", message: 'not a' }] },
      {},
      {
        rejected:
          "oidc: error evaluating user info validation rule: validation expression '!user.username.startsWith('oidc:a')' failed: not a",
      },
    ],
  ])('gives the expected result for %s', async (_title, change, claims, result) => {
    expect(await authenticate(await open(change), signToken(createClaims(claims), one))).toEqual(result)
  })

  test('distributed claims are fetched and verified', async () => {
    const other = 'https://groups.example.com'
    providers.add(other, [two])
    const createSource = (overrides: object) => ({
      _claim_names: { groups: 's' },
      _claim_sources: { s: { endpoint: `${other}/claims`, ...overrides } },
    })
    const token = signToken(createClaims(createSource({ access_token: 't' })), one)
    providers.documents[`${other}/claims`] = signToken(createClaims({ iss: other, groups: ['far'] }), two)
    const authenticator = await open()
    // The first request starts the discovery of the claim issuer's keys.
    expect(await authenticate(authenticator, token)).toMatchObject({
      rejected: expect.stringContaining('verifier not initialized for issuer') as string,
    })
    await settle()
    expect(await authenticate(authenticator, token)).toMatchObject({ groups: ['g:far'] })
    expect(providers.requests.find(({ url }) => url === `${other}/claims`)?.request.headers).toMatchObject({ authorization: 'Bearer t' })
    providers.documents[`${other}/claims`] = signToken(createClaims({ iss: other, groups: ['far'] }), one)
    providers.clock.advance(5000)
    expect(await authenticate(authenticator, token)).toMatchObject({
      rejected: expect.stringContaining('oidc: could not expand distributed claims: verify distributed claim token') as string,
    })
  })
})
