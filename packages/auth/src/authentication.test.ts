import type { PeerCertificate } from 'node:tls'
import type { UserInfo } from '@keelson/apimachinery'
import { expect, test } from 'vitest'
import { createAnonymousAuthenticator } from './anonymous.ts'
import type { Credentials } from './authenticator.ts'
import { createAuthenticatorUnion } from './authenticator-union.ts'
import { parseBearerToken, createBearerTokenAuthenticator } from './bearer-token.ts'
import { createClientCertificateAuthenticator } from './client-certificate.ts'
import { createStaticTokens, generateToken } from './token-authenticator.ts'

const alice: UserInfo = { name: 'alice', uid: '7', groups: ['dev'] }
const createCredentials = (overrides: Partial<Credentials>): Credentials => ({
  headers: {},
  path: '/api',
  peerCertificate: undefined,
  ...overrides,
})
const withToken = (authorization: string): Credentials => createCredentials({ headers: { authorization } })
const createCertificate = (subject: object): PeerCertificate => Object.assign({} as PeerCertificate, { subject, raw: Buffer.from('der') })

const tokens = createBearerTokenAuthenticator(createStaticTokens([['secret', alice]]))
const union = createAuthenticatorUnion([createClientCertificateAuthenticator(), tokens], { anonymous: createAnonymousAuthenticator() })

test.each([
  [undefined, undefined],
  ['', undefined],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Bearer  secret', undefined],
  ['Basic secret', undefined],
  ['Bearer secret', 'secret'],
  ['bEaReR secret', 'secret'],
  ['  Bearer secret  ', 'secret'],
  ['Bearer secret and more', 'secret'],
])('reads the token in the header %j as %j', (header, token) => {
  expect(parseBearerToken(header)).toBe(token)
})

test('authenticates a known token and adds system:authenticated', async () => {
  expect(await union.authenticate(withToken('Bearer secret'))).toEqual({
    outcome: 'authenticated',
    user: { name: 'alice', uid: '7', groups: ['dev', 'system:authenticated'] },
  })
})

test('rejects a wrong token instead of authenticating the request as anonymous', async () => {
  expect(await union.authenticate(withToken('Bearer secre'))).toMatchObject({ outcome: 'rejected' })
})

test('authenticates a request without credentials as anonymous, without system:authenticated', async () => {
  expect(await union.authenticate(createCredentials({}))).toEqual({
    outcome: 'authenticated',
    user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
  })
})

test('limits anonymous access to configured paths, or disables it', async () => {
  const limited = createAuthenticatorUnion([tokens], { anonymous: createAnonymousAuthenticator({ paths: ['/healthz'] }) })
  expect(await limited.authenticate(createCredentials({ path: '/healthz' }))).toMatchObject({ outcome: 'authenticated' })
  expect(await limited.authenticate(createCredentials({ path: '/api' }))).toEqual({ outcome: 'unknown' })
  expect(await createAuthenticatorUnion([tokens]).authenticate(createCredentials({}))).toEqual({ outcome: 'unknown' })
})

test("reads the user from a certificate's CN and a group from every O", async () => {
  expect(
    await union.authenticate(createCredentials({ peerCertificate: createCertificate({ CN: 'bob', O: ['a', 'system:masters'] }) })),
  ).toMatchObject({
    user: { name: 'bob', groups: ['a', 'system:masters', 'system:authenticated'] },
  })
  expect(await union.authenticate(createCredentials({ peerCertificate: createCertificate({ CN: 'bob', O: 'a' }) }))).toMatchObject({
    user: { groups: ['a', 'system:authenticated'] },
  })
  expect(await union.authenticate(createCredentials({ peerCertificate: createCertificate({ CN: ['first', 'last'] }) }))).toMatchObject({
    user: { name: 'last' },
  })
  expect(await union.authenticate(createCredentials({ peerCertificate: createCertificate({ O: 'a' }) }))).toMatchObject({
    user: { name: 'system:anonymous' },
  })
})

test('rejects an unverified certificate unless a token is valid', async () => {
  const broken = { peerCertificateError: 'CERT_HAS_EXPIRED' }
  expect(await union.authenticate(createCredentials(broken))).toMatchObject({ outcome: 'rejected' })
  expect(await union.authenticate({ ...withToken('Bearer secret'), ...broken })).toMatchObject({ outcome: 'authenticated' })
})

test('waits for asynchronous authenticators', async () => {
  const slow = createAuthenticatorUnion([{ authenticate: async () => ({ outcome: 'unknown' }) }, tokens])
  expect(await slow.authenticate(withToken('Bearer secret'))).toMatchObject({ outcome: 'authenticated' })
  const slowTokens = createBearerTokenAuthenticator({ authenticateToken: async () => undefined }, createStaticTokens([['secret', alice]]))
  expect(await slowTokens.authenticate(withToken('Bearer secret'))).toMatchObject({ outcome: 'authenticated' })
})

test('looks up a token repeated on a connection once if its authenticator is permanent', async () => {
  const lookups: string[] = []
  const createCountingAuthenticator = (isPermanent: boolean) =>
    createBearerTokenAuthenticator({
      isPermanent,
      authenticateToken: (token) => {
        lookups.push(token)
        return token === 'wrong' ? undefined : { ...alice, name: token }
      },
    })
  const connection = {}
  const lookUpRepeatedly = async (authenticator: typeof tokens): Promise<string[]> => {
    lookups.length = 0
    for (const token of ['a', 'a', 'b', 'b', 'wrong', 'b', 'wrong', 'a']) {
      const result = await authenticator.authenticate({ ...withToken(`Bearer ${token}`), connection })
      expect(result).toMatchObject(token === 'wrong' ? { outcome: 'rejected' } : { user: { name: token } })
    }
    return [...lookups]
  }
  expect(await lookUpRepeatedly(createCountingAuthenticator(true))).toEqual(['a', 'b', 'wrong', 'wrong', 'a'])
  expect(await lookUpRepeatedly(createCountingAuthenticator(false))).toHaveLength(8)
})

test('generates long, unique tokens', () => {
  expect(generateToken()).toMatch(/^[\w-]{43}$/)
  expect(generateToken()).not.toBe(generateToken())
})
