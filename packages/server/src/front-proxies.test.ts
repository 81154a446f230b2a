import { connect as connectHttp2 } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import {
  createAnonymousAuthenticator,
  createAuthenticatorUnion,
  createBearerTokenAuthenticator,
  createClientCertificateAuthenticator,
  createRequestHeaderAuthenticator,
  createStaticTokens,
} from '@keelson/auth'
import { getExchange } from '@keelson/http-installer'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createAuthority, createClientCertificate, day, hour, getCertificates, start } from './certificates/authority.fixture.ts'
import type { Authority } from './certificates/authority.fixture.ts'
import { createCertificate } from './certificates/create-certificate.ts'
import type { KeyPair } from './certificates/create-certificate.ts'
import { createServer } from './create-server.ts'
import type { Server } from './create-server.ts'

let clients: Authority
let proxies: Authority
let foreign: Authority
let serving: KeyPair
beforeAll(async () => {
  ;[clients, proxies, foreign] = await Promise.all([createAuthority('clients'), createAuthority('proxies'), createAuthority('proxies')])
  serving = await createCertificate({
    usage: 'server',
    ...day,
    subject: { commonName: 'localhost' },
    names: ['localhost'],
    issuer: foreign.issuer,
  })
})

const requestHeaders = {
  usernameHeaders: ['X-Remote-User'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
  allowedNames: ['proxy'],
}

let server: Server | undefined
afterEach(() => server?.close(0))

async function serve(now = (): number => start): Promise<number> {
  const members = [
    createRequestHeaderAuthenticator(() => requestHeaders),
    createClientCertificateAuthenticator(),
    createBearerTokenAuthenticator(createStaticTokens([['token', { name: 'token-user', groups: [] }]])),
  ]
  server = createServer({
    authenticator: createAuthenticatorUnion(members, { anonymous: createAnonymousAuthenticator() }),
    authorizer: { authorize: () => ({ decision: 'allow', reason: '' }) },
    tls: { ...serving, clientAuthorities: getCertificates([clients]), frontProxyAuthorities: getCertificates([proxies]) },
    now,
  })
  server.app.get('/api/v1/whoami', (c) => {
    const { user, incoming } = getExchange(c)
    const remaining = incoming.rawHeaders.filter((name, i) => i % 2 === 0 && /remote/i.test(name))
    return c.json({
      name: user.name,
      groups: user.groups,
      left: [...remaining, ...Object.keys(incoming.headers).filter((n) => /remote/.test(n))],
    })
  })
  return (await server.listen(0, '127.0.0.1')).port
}

/**
 * Returns "user group,group" if the status is 200, and the status otherwise. `headers` alternates names and values, and is sent byte for
 * byte.
 */
async function requestWhoAmI(port: number, pair: KeyPair | undefined, headers: readonly string[] = []): Promise<string> {
  const request = httpsRequest({
    host: '127.0.0.1',
    port,
    path: '/api/v1/whoami',
    rejectUnauthorized: false,
    agent: false,
    headers: ['Host', 'localhost', ...headers],
    ...(pair && { cert: pair.certificate, key: pair.key }),
  })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => request.on('response', resolve).on('error', reject).end())
  return describeAnswer(answer.statusCode!, Buffer.concat(await answer.toArray()).toString())
}

function describeAnswer(status: number, body: string): string {
  if (status !== 200) return String(status)
  const { name, groups, left: remaining } = JSON.parse(body) as { name: string; groups: string[]; left: string[] }
  return [name, groups.join(','), ...remaining].join(' ')
}

const alice = ['X-Remote-User', 'alice', 'X-Remote-Group', 'dev', 'x-remote-extra-a', '1']

describe('the headers of a front proxy', () => {
  test('the headers of a front proxy name the user, over HTTP/1.1 and HTTP/2, and handlers do not receive them', async () => {
    const port = await serve()
    const proxy = await createClientCertificate(proxies, 'proxy')
    expect(await requestWhoAmI(port, proxy, alice)).toBe('alice dev,system:authenticated')

    const session = connectHttp2(`https://localhost:${port}`, {
      host: '127.0.0.1',
      rejectUnauthorized: false,
      cert: proxy.certificate,
      key: proxy.key,
    })
    const stream = session.request({ ':path': '/api/v1/whoami', 'x-remote-user': 'alice', 'x-remote-group': ['dev', 'a,b'] })
    const status = await new Promise<number>((resolve) => stream.on('response', (headers) => resolve(Number(headers[':status']))))
    expect(describeAnswer(status, Buffer.concat(await stream.toArray()).toString())).toBe('alice dev,a,b,system:authenticated')
    session.destroy()
  })

  test('front proxy headers take precedence over a token, and the certificate of a front proxy alone is rejected', async () => {
    const port = await serve()
    const proxy = await createClientCertificate(proxies, 'proxy')
    const token = ['Authorization', 'Bearer token']
    expect(await requestWhoAmI(port, proxy, [...alice, ...token])).toBe('alice dev,system:authenticated')
    expect(await requestWhoAmI(port, proxy, token)).toBe('token-user system:authenticated')
    expect(await requestWhoAmI(port, proxy)).toBe('401')
  })

  test('ignores the headers of a front proxy whose certificate has expired or whose CA was removed, also on open connections', async () => {
    let now = start
    const port = await serve(() => now)
    const proxy = await createClientCertificate(proxies, 'proxy', { notAfter: new Date(start + hour) })
    expect(await requestWhoAmI(port, proxy, alice)).toBe('alice dev,system:authenticated')
    now = start + hour + 1000
    expect(await requestWhoAmI(port, proxy, alice)).toBe('401')
    now = start
    server!.serveCertificates({ ...serving, frontProxyAuthorities: getCertificates([foreign]) })
    expect(await requestWhoAmI(port, proxy, alice)).toBe('401')
    expect(await requestWhoAmI(port, await createClientCertificate(foreign, 'proxy'), alice)).toBe('alice dev,system:authenticated')
    expect(await requestWhoAmI(port, await createClientCertificate(clients, 'client'))).toBe('client system:masters,system:authenticated')
  })
})

describe('the headers of other clients are ignored and removed:', () => {
  test.each([
    ['a client without a certificate', undefined, 'system:anonymous system:unauthenticated'],
    ['a user of the same name as the proxy', () => createClientCertificate(clients, 'proxy'), 'proxy system:masters,system:authenticated'],
    ['a proxy whose name is not allowed', () => createClientCertificate(proxies, 'other'), '401'],
    ['a proxy of a foreign authority with the same name', () => createClientCertificate(foreign, 'proxy'), '401'],
    ['a serving certificate of the authority', () => createClientCertificate(proxies, 'proxy', { usage: 'server' }), '401'],
    [
      'an expired proxy',
      () => createClientCertificate(proxies, 'proxy', { notBefore: new Date(0), notAfter: new Date(start - hour) }),
      '401',
    ],
    ['a future proxy', () => createClientCertificate(proxies, 'proxy', { notBefore: new Date(start + hour) }), '401'],
  ])('%s', async (_, pair, expected) => {
    const port = await serve()
    expect(await requestWhoAmI(port, await pair?.(), [...alice, 'X-REMOTE-USER', 'eve'])).toBe(expected)
  })

  test('a request with a token does not run as the user of front proxy headers', async () => {
    expect(await requestWhoAmI(await serve(), undefined, [...alice, 'Authorization', 'Bearer token'])).toBe(
      'token-user system:authenticated',
    )
  })
})

test('header names with underscores are not treated as names with hyphens', async () => {
  const port = await serve()
  const proxy = await createClientCertificate(proxies, 'proxy')
  expect(await requestWhoAmI(port, proxy, ['X_Remote_User', 'eve', ...alice, 'X_Remote_Group', 'system:masters'])).toBe(
    'alice dev,system:authenticated X_Remote_User X_Remote_Group x_remote_user x_remote_group',
  )
})

test.each([
  ['the last common name', {}, 'user system:masters,system:authenticated'],
  // A certificate without a name is rejected with 401 instead of treated as anonymous, as in kube-apiserver.
  ['no name', { commonName: '' }, '401'],
  ['an empty UID', { uid: '' }, '401'],
])('a client certificate with %s', async (_, subject, expected) => {
  expect(await requestWhoAmI(await serve(), await createClientCertificate(clients, 'user', { subject }))).toBe(expected)
})

test('reads the UID of a client certificate', async () => {
  const port = await serve()
  server!.app.get('/api/v1/uid', (c) => c.text(getExchange(c).user.uid ?? 'none'))
  const { certificate: cert, key } = await createClientCertificate(clients, 'user', { subject: { uid: 'abc-123' } })
  const request = httpsRequest({ host: '127.0.0.1', port, path: '/api/v1/uid', rejectUnauthorized: false, agent: false, cert, key })
  const answer = await new Promise<IncomingMessage>((resolve) => request.on('response', resolve).end())
  expect(Buffer.concat(await answer.toArray()).toString()).toBe('abc-123')
})
