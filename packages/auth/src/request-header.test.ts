import type { PeerCertificate } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { createIdentityHeaderRemover } from './identity-headers.ts'
import { createRequestHeaderAuthenticator, listRequestHeaderNames } from './request-header.ts'
import type { RequestHeaderOptions } from './request-header.ts'

const options: RequestHeaderOptions = {
  usernameHeaders: ['X-Remote-User', ' X-Other-User '],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group', 'X-More-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
  allowedNames: ['proxy'],
}
const createCertificate = (commonName: string | string[]): PeerCertificate =>
  ({ subject: { CN: commonName } }) as unknown as PeerCertificate

function authenticate(
  rawHeaders: readonly string[],
  from: PeerCertificate | undefined = createCertificate('proxy'),
  headerOptions = options,
): unknown {
  return createRequestHeaderAuthenticator(() => headerOptions).authenticate({
    headers: {},
    rawHeaders,
    path: '/',
    peerCertificate: undefined,
    frontProxyCertificate: from,
  })
}
const createUser = (name: string, fields: object = {}): object => ({
  outcome: 'authenticated',
  user: { name, uid: '', groups: [], extra: {}, ...fields },
})

describe('a front proxy', () => {
  test('identifies the user by headers in any case; group names may contain commas', () => {
    const raw = ['x-REMOTE-user', 'alice', 'X-Remote-Uid', '7', 'X-Remote-Group', 'a,b', 'x-remote-group', 'c', 'X-More-Group', 'd']
    expect(authenticate(raw)).toEqual(createUser('alice', { uid: '7', groups: ['a,b', 'c', 'd'] }))
  })

  test.each([
    ['the first value of the first header with one', ['X-Other-User', 'bob', 'X-Remote-User', 'alice', 'X-Remote-User', 'eve'], 'alice'],
    ['the next header if the first value is empty', ['X-Remote-User', '', 'X-Remote-User', 'eve', 'X-Other-User', 'bob'], 'bob'],
    ['a name in UTF-8', ['X-Remote-User', Buffer.from('zoë').toString('latin1')], 'zoë'],
  ])('identifies the user by %s', (_, raw, name) => expect(authenticate(raw)).toEqual(createUser(name)))

  test('sends extra fields, whose keys are in lower case and may be escaped', () => {
    const raw = ['X-Remote-User', 'a', 'X-Remote-Extra-Acme.com%2FProject', 'p', 'x-remote-extra-Scopes', 'x', 'X-Remote-Extra-scopes', 'y']
    expect(authenticate([...raw, 'X-Remote-Extra-100%', 'z'])).toEqual(
      createUser('a', { extra: { 'acme.com/project': ['p'], scopes: ['x', 'y'], '100%': ['z'] } }),
    )
  })

  test.each([
    ['with underscores', ['X_Remote_User', 'eve']],
    ['with another prefix', ['X-Remote-Users', 'eve', 'My-X-Remote-User', 'eve']],
    ['that name only groups', ['X-Remote-Group', 'system:masters']],
  ])('does not identify the user by headers %s', (_, raw) => expect(authenticate(raw)).toEqual({ outcome: 'unknown' }))
})

describe('another client', () => {
  test('is not authenticated without a certificate', () => {
    const authenticator = createRequestHeaderAuthenticator(() => options)
    const credentials = { headers: {}, rawHeaders: ['X-Remote-User', 'eve'], path: '/', peerCertificate: createCertificate('proxy') }
    expect(authenticator.authenticate(credentials)).toEqual({ outcome: 'unknown' })
    expect(authenticator.authenticate({ ...credentials, frontProxyCertificateError: 'no chain' })).toEqual({
      outcome: 'rejected',
      reason: 'verifying the certificate of a front proxy failed: no chain',
    })
  })

  test('is authenticated only with an allowed common name, unless all names are allowed', () => {
    const raw = ['X-Remote-User', 'eve']
    expect(authenticate(raw, createCertificate(['proxy', 'other']))).toEqual({
      outcome: 'rejected',
      reason: 'x509: subject with cn=other is not in the allowed list',
    })
    expect(authenticate(raw, createCertificate('other'), { ...options, allowedNames: [] })).toEqual(createUser('eve'))
  })
})

test('a front proxy is trusted according to the newest options', () => {
  let headerOptions: RequestHeaderOptions | undefined
  const authenticator = createRequestHeaderAuthenticator(() => headerOptions)
  const credentials = {
    headers: {},
    rawHeaders: ['X-Remote-User', 'alice', 'Who', 'bob'],
    path: '/',
    peerCertificate: undefined,
    frontProxyCertificate: createCertificate('proxy'),
  }
  expect(authenticator.authenticate(credentials)).toEqual({ outcome: 'unknown' })
  headerOptions = options
  expect(authenticator.authenticate(credentials)).toEqual(createUser('alice'))
  headerOptions = { usernameHeaders: ['Who'] }
  expect(authenticator.authenticate(credentials)).toEqual(createUser('bob'))
})

test('removes standard and configured headers from headers and rawHeaders, and keeps other headers', () => {
  const remove = createIdentityHeaderRemover(listRequestHeaderNames({ usernameHeaders: ['Who'], extraHeaderPrefixes: ['Who-Extra-'] }))
  const rawHeaders = ['X-Remote-User', 'a', 'Accept', 'x', 'X-REMOTE-EXTRA-a', '1', 'x-remote-group', 'g', 'X-Remote-Group', 'h']
  rawHeaders.push('who', 'w', 'WHO-extra-k', 'v', 'Whose', 'kept', 'X_Remote_User', 'kept')
  const headers: Record<string, string> = {}
  for (let i = 0; i < rawHeaders.length; i += 2) headers[rawHeaders[i]!.toLowerCase()] = rawHeaders[i + 1]!
  remove({ headers, rawHeaders })
  expect(rawHeaders).toEqual(['Accept', 'x', 'Whose', 'kept', 'X_Remote_User', 'kept'])
  expect(headers).toEqual({ accept: 'x', whose: 'kept', x_remote_user: 'kept' })
})
