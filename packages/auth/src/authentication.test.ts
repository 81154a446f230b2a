import type { PeerCertificate } from 'node:tls'
import type { UserInfo } from '@keelson/apimachinery'
import { expect, test } from 'vitest'
import { createAnonymousAuthenticator } from './anonymous.ts'
import type { Credentials } from './authenticator.ts'
import { createAuthenticatorUnion } from './authenticator-union.ts'
import { bearerToken, createBearerTokenAuthenticator } from './bearer-token.ts'
import { createClientCertificateAuthenticator } from './client-certificate.ts'
import { createStaticTokens, generateToken } from './token-authenticator.ts'

const alice: UserInfo = { name: 'alice', uid: '7', groups: ['dev'] }
const asks = (rest: Partial<Credentials>): Credentials => ({ headers: {}, path: '/api', peerCertificate: undefined, ...rest })
const withToken = (authorization: string): Credentials => asks({ headers: { authorization } })
const certificate = (subject: object): PeerCertificate => Object.assign({} as PeerCertificate, { subject, raw: Buffer.from('der') })

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
])('the token of %j is %j', (header, token) => {
  expect(bearerToken(header)).toBe(token)
})

test('a known token is its user, and one of the authenticated', async () => {
  expect(await union.authenticate(withToken('Bearer secret'))).toEqual({
    outcome: 'authenticated',
    user: { name: 'alice', uid: '7', groups: ['dev', 'system:authenticated'] },
  })
})

test('a wrong token is refused, never anonymous', async () => {
  expect(await union.authenticate(withToken('Bearer secre'))).toMatchObject({ outcome: 'rejected' })
})

test('no credentials are anonymous, without system:authenticated', async () => {
  expect(await union.authenticate(asks({}))).toEqual({
    outcome: 'authenticated',
    user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
  })
})

test('anonymous access can be limited to paths, or be absent', async () => {
  const limited = createAuthenticatorUnion([tokens], { anonymous: createAnonymousAuthenticator({ paths: ['/healthz'] }) })
  expect(await limited.authenticate(asks({ path: '/healthz' }))).toMatchObject({ outcome: 'authenticated' })
  expect(await limited.authenticate(asks({ path: '/api' }))).toEqual({ outcome: 'unknown' })
  expect(await createAuthenticatorUnion([tokens]).authenticate(asks({}))).toEqual({ outcome: 'unknown' })
})

test('a certificate: CN is the user, every O a group', async () => {
  expect(await union.authenticate(asks({ peerCertificate: certificate({ CN: 'bob', O: ['a', 'system:masters'] }) }))).toMatchObject({
    user: { name: 'bob', groups: ['a', 'system:masters', 'system:authenticated'] },
  })
  expect(await union.authenticate(asks({ peerCertificate: certificate({ CN: 'bob', O: 'a' }) }))).toMatchObject({
    user: { groups: ['a', 'system:authenticated'] },
  })
  expect(await union.authenticate(asks({ peerCertificate: certificate({ CN: ['first', 'last'] }) }))).toMatchObject({
    user: { name: 'last' },
  })
  expect(await union.authenticate(asks({ peerCertificate: certificate({ O: 'a' }) }))).toMatchObject({ user: { name: 'system:anonymous' } })
})

test('a certificate that does not verify is refused, unless a token is right', async () => {
  const broken = { peerCertificateError: 'CERT_HAS_EXPIRED' }
  expect(await union.authenticate(asks(broken))).toMatchObject({ outcome: 'rejected' })
  expect(await union.authenticate({ ...withToken('Bearer secret'), ...broken })).toMatchObject({ outcome: 'authenticated' })
})

test('authenticators may take their time', async () => {
  const slow = createAuthenticatorUnion([{ authenticate: async () => ({ outcome: 'unknown' }) }, tokens])
  expect(await slow.authenticate(withToken('Bearer secret'))).toMatchObject({ outcome: 'authenticated' })
  const slowTokens = createBearerTokenAuthenticator({ authenticateToken: async () => undefined }, createStaticTokens([['secret', alice]]))
  expect(await slowTokens.authenticate(withToken('Bearer secret'))).toMatchObject({ outcome: 'authenticated' })
})

test('a connection that repeats its token is looked up once, where who knows it knows it for good', async () => {
  const asked: string[] = []
  const counting = (lasting: boolean) =>
    createBearerTokenAuthenticator({
      lasting,
      authenticateToken: (token) => {
        asked.push(token)
        return token === 'wrong' ? undefined : { ...alice, name: token }
      },
    })
  const connection = {}
  const repeated = async (authenticator: typeof tokens): Promise<string[]> => {
    asked.length = 0
    for (const token of ['a', 'a', 'b', 'b', 'wrong', 'b', 'wrong', 'a']) {
      const result = await authenticator.authenticate({ ...withToken(`Bearer ${token}`), connection })
      expect(result).toMatchObject(token === 'wrong' ? { outcome: 'rejected' } : { user: { name: token } })
    }
    return [...asked]
  }
  expect(await repeated(counting(true))).toEqual(['a', 'b', 'wrong', 'wrong', 'a'])
  expect(await repeated(counting(false))).toHaveLength(8)
})

test('generated tokens are long and never the same', () => {
  expect(generateToken()).toMatch(/^[\w-]{43}$/)
  expect(generateToken()).not.toBe(generateToken())
})
