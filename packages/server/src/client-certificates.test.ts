import { connect as connectHttp2 } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import * as tls from 'node:tls'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { createAuthenticatorUnion, createClientCertificateAuthenticator, createPrivilegedGroupsAuthorizer } from '@keelson/auth'
import { getExchange } from '@keelson/http-installer'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createAuthority, createClientCertificate, day, hour, getCertificates, start } from './certificates/authority.fixture.ts'
import type { Authority } from './certificates/authority.fixture.ts'
import { createCertificate } from './certificates/create-certificate.ts'
import type { KeyPair } from './certificates/create-certificate.ts'
import { createServer } from './create-server.ts'
import type { Server, ServerOptions } from './create-server.ts'

let trusted: Authority
let untrusted: Authority
let standard: KeyPair
let sniCertificate: KeyPair
beforeAll(async () => {
  ;[trusted, untrusted] = await Promise.all([createAuthority('trusted'), createAuthority('other')])
  const createServingCertificate = (...names: string[]) =>
    createCertificate({ usage: 'server', ...day, subject: { commonName: names[0]! }, names, issuer: untrusted.issuer })
  ;[standard, sniCertificate] = await Promise.all([
    createServingCertificate('localhost'),
    createServingCertificate('sni.example.com', '*.wild.example.com'),
  ])
})

let server: Server | undefined
const open: { destroy(): unknown }[] = []
afterEach(async () => {
  for (const connection of open.splice(0)) connection.destroy()
  await server?.close(0)
})

async function serve(authorities: readonly Authority[], options: Partial<ServerOptions> = {}): Promise<number> {
  server = createServer({
    authenticator: createAuthenticatorUnion([createClientCertificateAuthenticator()]),
    authorizer: createPrivilegedGroupsAuthorizer('system:masters'),
    tls: { ...standard, named: [sniCertificate], clientAuthorities: getCertificates(authorities) },
    ...options,
  })
  server.app.get('/api/v1/whoami', (c) => c.text(getExchange(c).user.name))
  return (await server.listen(0, '127.0.0.1')).port
}

/** An HTTP/1.1 connection. `ask` sends a request and returns the user name, or the status if it is not 200. */
interface Client {
  readonly socket: TLSSocket
  readonly session: () => Buffer | undefined
  ask(): Promise<string>
}

function connectHttp1Client(port: number, pair: KeyPair, options: ConnectionOptions = {}): Promise<Client> {
  return new Promise((resolve, reject) => {
    const connection = {
      host: '127.0.0.1',
      port,
      servername: 'localhost',
      rejectUnauthorized: false,
      cert: pair.certificate,
      key: pair.key,
    }
    let session: Buffer | undefined
    const socket = tls.connect({ ...connection, ...options }, () =>
      resolve({ socket, session: () => session, ask: () => requestOverHttp1(socket) }),
    )
    socket.on('session', (given: Buffer) => (session = given))
    socket.on('error', reject)
    open.push(socket)
  })
}

function requestOverHttp1(socket: TLSSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (chunk: Buffer): void => {
      text += chunk.toString()
      const [head, body] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head!)?.[1] ?? NaN)
      if (body === undefined || body.length < length) return
      socket.off('data', onData)
      const status = head!.split(' ')[1]!
      resolve(status === '200' ? body : status)
    }
    socket.on('data', onData)
    socket.once('close', () => reject(new Error(`closed after ${JSON.stringify(text)}`)))
    socket.write('GET /api/v1/whoami HTTP/1.1\r\nHost: a\r\n\r\n')
  })
}

function connectHttp2Client(port: number, pair: KeyPair): ClientHttp2Session {
  const session = connectHttp2(`https://localhost:${port}`, {
    host: '127.0.0.1',
    rejectUnauthorized: false,
    cert: pair.certificate,
    key: pair.key,
  })
  open.push(session)
  return session
}

function requestOverHttp2(session: ClientHttp2Session): Promise<string> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': '/api/v1/whoami' })
    let status = 0
    let body = ''
    stream.setEncoding('utf8')
    stream.on('response', (headers) => (status = Number(headers[':status'])))
    stream.on('data', (chunk: string) => (body += chunk))
    stream.on('end', () => resolve(status === 200 ? body : String(status)))
    stream.on('error', reject)
  })
}

async function requestWhoAmI(port: number, pair: KeyPair, options?: ConnectionOptions): Promise<string> {
  return (await connectHttp1Client(port, pair, options)).ask()
}

const names = ['localhost', 'sni.example.com', 'a.wild.example.com']

describe('trusts only the configured client CAs, not the default CAs of Node.js', () => {
  test.each(names)('verifies client certificates for the name %s, also after all certificates were replaced', async (servername) => {
    // Simulates additional default CAs, as from NODE_EXTRA_CA_CERTS or the system's store. Older versions of Node cannot change them at run
    // time.
    const { setDefaultCACertificates: trustByDefault } = tls as Partial<typeof tls>
    const defaultAuthorities = trustByDefault && tls.getCACertificates('default')
    if (defaultAuthorities !== undefined) trustByDefault!([...defaultAuthorities, untrusted.pair.certificate])
    try {
      const port = await serve([trusted])
      const [accepted, foreign] = await Promise.all([
        createClientCertificate(trusted, 'good'),
        createClientCertificate(untrusted, 'foreign'),
      ])
      expect(await requestWhoAmI(port, accepted, { servername })).toBe('good')
      expect(await requestWhoAmI(port, foreign, { servername })).toBe('401')

      const newAuthority = await createAuthority('next')
      server!.serveCertificates({
        ...standard,
        named: [{ ...sniCertificate, names: names.slice(1) }],
        clientAuthorities: getCertificates([newAuthority]),
      })
      expect(await requestWhoAmI(port, await createClientCertificate(newAuthority, 'newcomer'), { servername })).toBe('newcomer')
      expect(await requestWhoAmI(port, accepted, { servername })).toBe('401')
      expect(await requestWhoAmI(port, foreign, { servername })).toBe('401')
    } finally {
      if (defaultAuthorities !== undefined) trustByDefault!(defaultAuthorities)
    }
  })

  test('accepts intermediate certificates that the client sends, but no leaf certificate as a CA', async () => {
    const port = await serve([trusted])
    const intermediate = await createAuthority('intermediate', { issuer: trusted.issuer })
    const leaf = await createClientCertificate(intermediate, 'below')
    expect(await requestWhoAmI(port, { key: leaf.key, certificate: leaf.certificate + intermediate.pair.certificate })).toBe('below')
    expect(await requestWhoAmI(port, leaf)).toBe('401')
    const forged = await createAuthority('forged', { usage: 'client', issuer: trusted.issuer })
    const forgedLeaf = await createClientCertificate(forged, 'forged-below')
    expect(await requestWhoAmI(port, { key: forgedLeaf.key, certificate: forgedLeaf.certificate + forged.pair.certificate })).toBe('401')
  })

  test('rejects authorities without a certificate and keeps the previous ones', async () => {
    const port = await serve([trusted])
    expect(() => server!.serveCertificates({ ...standard, clientAuthorities: ['junk'] })).toThrow('CERTIFICATE')
    expect(await requestWhoAmI(port, await createClientCertificate(trusted, 'good'))).toBe('good')
  })
})

describe('a client certificate is checked on each request', () => {
  test('rejects an expired client certificate on open connections, and closes them', async () => {
    let now = start
    const port = await serve([trusted], { now: () => now })
    const pair = await createClientCertificate(trusted, 'short', { notAfter: new Date(start + hour) })
    const [first, second] = [await connectHttp1Client(port, pair), connectHttp2Client(port, pair)]
    expect([await first.ask(), await requestOverHttp2(second)]).toEqual(['short', 'short'])
    now = start + hour + 1000
    const closed = new Promise((resolve) => first.socket.once('close', resolve))
    expect([await first.ask(), await requestOverHttp2(second)]).toEqual(['401', '401'])
    await closed
  })

  test('rejects a client certificate whose issuer has expired', async () => {
    let now = start
    const port = await serve([trusted], { now: () => now })
    const intermediate = await createAuthority('intermediate', { issuer: trusted.issuer, notAfter: new Date(start + hour) })
    const leaf = await createClientCertificate(intermediate, 'below')
    const client = await connectHttp1Client(port, { key: leaf.key, certificate: leaf.certificate + intermediate.pair.certificate })
    expect(await client.ask()).toBe('below')
    now = start + hour + 1000
    expect(await client.ask()).toBe('401')
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'verifies the whole chain again when a client resumes a session with %s',
    async (maxVersion) => {
      let now = start
      const port = await serve([trusted], { now: () => now })
      const intermediate = await createAuthority('intermediate', { issuer: trusted.issuer })
      const leaf = await createClientCertificate(intermediate, 'below', { notAfter: new Date(start + hour) })
      const pair = { key: leaf.key, certificate: leaf.certificate + intermediate.pair.certificate }
      const first = await connectHttp1Client(port, pair, { maxVersion })
      expect(await first.ask()).toBe('below')
      const session = first.session()!
      expect(await requestWhoAmI(port, pair, { maxVersion, session })).toBe('below')
      now = start + hour + 1000
      expect(await requestWhoAmI(port, pair, { maxVersion, session })).toBe('401')
    },
  )

  test('rejects client certificates of a removed authority, and accepts those of the other authorities', async () => {
    const port = await serve([trusted, untrusted])
    const pair = await createClientCertificate(trusted, 'good')
    const [first, second] = [await connectHttp1Client(port, pair), connectHttp2Client(port, pair)]
    expect([await first.ask(), await requestOverHttp2(second)]).toEqual(['good', 'good'])
    server!.serveCertificates({ ...standard, clientAuthorities: getCertificates([trusted]) })
    expect([await first.ask(), await requestOverHttp2(second)]).toEqual(['good', 'good'])
    server!.serveCertificates({ ...standard, clientAuthorities: getCertificates([untrusted]) })
    expect([await first.ask(), await requestOverHttp2(second)]).toEqual(['401', '401'])
  })
})
