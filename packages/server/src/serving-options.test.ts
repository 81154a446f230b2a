import { request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { connect as connectTls } from 'node:tls'
import { createAnonymousAuthenticator, createAuthenticatorUnion, createPrivilegedGroupsAuthorizer } from '@keelson/auth'
import { expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server, ServerOptions } from './create-server.ts'
import { createTlsSettings } from './tls-settings.ts'
import type { TlsNames } from './tls-settings.ts'

async function startListening(
  options: Omit<Partial<ServerOptions>, 'tls'> & { tls?: Omit<TlsNames, 'http2'> },
): Promise<{ server: Server; port: number }> {
  const { serving } = await openOwnCertificates({ store: createMemoryCertificateStore(), names: ['127.0.0.1'] })
  const server = createServer({
    authenticator: createAuthenticatorUnion([], { anonymous: createAnonymousAuthenticator() }),
    authorizer: createPrivilegedGroupsAuthorizer('system:unauthenticated'),
    ...options,
    tls: { certificate: serving.certificate, key: serving.key, settings: createTlsSettings({ ...options.tls, http2: true }) },
  })
  const { port } = await server.listen(0, '127.0.0.1')
  return { server, port }
}

function sendRequest(port: number, method: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      { port, host: '127.0.0.1', path: '/version', method, headers, rejectUnauthorized: false, agent: false },
      resolve,
    )
    request.on('error', reject)
    request.end()
  })
}

test('only pages of allowed origins get CORS headers', async () => {
  const { server, port } = await startListening({ corsAllowedOrigins: [/^https:\/\/good\.example$/] })
  const preflight = await sendRequest(port, 'OPTIONS', { origin: 'https://good.example' })
  expect(preflight.statusCode).toBe(204)
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': 'https://good.example',
    'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
    'access-control-allow-credentials': 'true',
  })
  expect(preflight.headers).not.toHaveProperty('content-length')
  const allowed = await sendRequest(port, 'GET', { origin: 'https://good.example' })
  expect([allowed.statusCode, allowed.headers['access-control-allow-origin']]).toEqual([200, 'https://good.example'])
  const refused = await sendRequest(port, 'GET', { origin: 'https://good.example.evil' })
  expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([200, undefined])
  expect((await sendRequest(port, 'OPTIONS', { origin: 'https://evil.example' })).statusCode).toBe(405)
  await server.close()
})

test('every response has the configured Strict-Transport-Security header', async () => {
  const { server, port } = await startListening({ hstsDirectives: ['max-age=31536000', 'includeSubDomains'] })
  const { headers } = await sendRequest(port, 'GET', {})
  expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
  await server.close()
})

test('limits the TLS versions of handshakes', async () => {
  const { server, port } = await startListening({ tls: { minVersion: 'VersionTLS13' } })
  expect(await attemptHandshake(port, { maxVersion: 'TLSv1.2' })).toMatch(/alert|protocol/i)
  expect(await attemptHandshake(port, {})).toBe('TLSv1.3')
  await server.close()
  const picky = await startListening({
    tls: { cipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'] },
  })
  expect(
    await attemptHandshake(picky.port, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305' }),
  ).toMatch(/alert/)
  expect(await attemptHandshake(picky.port, { maxVersion: 'TLSv1.2' })).toBe('TLSv1.2')
  expect(await attemptHandshake(picky.port, {})).toBe('TLSv1.3')
  await picky.server.close()
})

test.each<[TlsNames, string]>([
  [{ minVersion: 'VersionTLS14', http2: true }, 'unknown tls version "VersionTLS14"'],
  [{ cipherSuites: ['AES'], http2: true }, "Cipher suite AES not supported or doesn't exist"],
  [{ cipherSuites: ['TLS_RSA_WITH_AES_128_CBC_SHA'], http2: true }, 'HTTP/2 needs one of'],
])('rejects %j', (names, message) => {
  expect(() => createTlsSettings(names)).toThrow(message)
})

function attemptHandshake(port: number, options: { maxVersion?: 'TLSv1.2'; ciphers?: string }): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => {
      resolve(socket.getProtocol())
      socket.destroy()
    })
    socket.on('error', (error) => resolve(error.message))
  })
}
