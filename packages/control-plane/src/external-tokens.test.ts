import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { createManualClock } from '@keelson/apimachinery/testing'
import { OutboundError } from '@keelson/outbound'
import type { ClientTarget, Dialer } from '@keelson/outbound'
import { afterAll, expect, test } from 'vitest'
import { openExternalTokens } from './external-tokens.ts'
import type { AuthenticationOptions } from './options/authentication.ts'
import { startChain } from './start-chain.fixture.ts'

const directory = mkdtempSync(path.join(tmpdir(), 'keelson-issuers-'))
afterAll(() => rmSync(directory, { recursive: true }))

function write(name: string, text: string): string {
  const file = path.join(directory, name)
  // Writes a new file and renames it, so that the server never reads a partly written file.
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
  return file
}
const formatConfiguration = (content: object): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', ...content })
const createIssuer = (url: string): object => ({
  issuer: { url, audiences: ['me'] },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
})

async function open(options: AuthenticationOptions) {
  const [clock, metrics, logged, requestedUrls] = [createManualClock(), createMetricsRegistry(), [] as string[], [] as string[]]
  const dialer: Dialer = {
    client: ({ url }: ClientTarget) => ({
      request: async () => {
        requestedUrls.push(url)
        const error = new OutboundError('dial', 'connect: connection refused')
        if (url.includes('down')) return { failed: true, error, message: error.message }
        return { failed: false, status: 200, headers: {}, body: Buffer.from(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` })) }
      },
      [Symbol.dispose]: () => {},
    }),
  }
  const dependencies = {
    audiences: ['api'],
    ownIssuers: ['https://own'],
    dialer,
    clock,
    metrics,
    log: (text: string) => void logged.push(text),
  }
  return { ...(await openExternalTokens(options, dependencies)), clock, logged, asked: requestedUrls, metrics: () => metrics.text() }
}

test.each<[AuthenticationOptions, string]>([
  [
    { configFile: write('a', formatConfiguration({})), oidc: { issuerUrl: 'https://a', clientId: 'a' } },
    'authentication-config file and oidc-* flags are mutually exclusive',
  ],
  [
    { configFile: write('b', formatConfiguration({ anonymous: { enabled: true } })), anonymous: true },
    'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
  ],
  [{ configFile: write('c', 'a: b') }, `failed to load authentication configuration from file "${directory}/c": Object 'Kind' is missing`],
  [
    { oidc: { issuerUrl: 'http://a', clientId: 'a' } },
    'invalid authentication configuration: jwt[0].issuer.url: Invalid value: "http://a": URL scheme must be https',
  ],
  [{ oidc: { issuerUrl: 'https://own', clientId: 'a' } }, 'URL must not overlap with disallowed issuers: [https://own]'],
  [{ tokenWebhook: { kubeconfigFile: '/nowhere' } }, 'stat /nowhere: no such file or directory'],
])('refuses %j', async (options, problem) => {
  await expect(open(options)).rejects.toThrow(problem)
})

test('the configuration file restricts anonymous requests to some paths', async () => {
  const listAnonymousPaths = async (options: AuthenticationOptions) => (await open(options)).anonymousPaths
  expect(await listAnonymousPaths({})).toEqual([])
  expect(await listAnonymousPaths({ anonymous: false })).toBeUndefined()
  expect(await listAnonymousPaths({ configFile: write('d', formatConfiguration({ anonymous: { enabled: false } })) })).toBeUndefined()
  const conditions = [{ path: '/livez' }]
  expect(await listAnonymousPaths({ configFile: write('e', formatConfiguration({ anonymous: { enabled: true, conditions } })) })).toEqual([
    '/livez',
  ])
})

test('uses a changed configuration file as soon as its issuers are reachable', async () => {
  const configFile = write('f', formatConfiguration({ jwt: [createIssuer('https://one')] }))
  using tokens = await open({ configFile })
  const waitForLog = async (text: string): Promise<void> => {
    await expect
      .poll(() => {
        tokens.clock.advance(5000)
        return tokens.logged.join('\n')
      })
      .toContain(text)
    tokens.logged.splice(0)
  }
  write('f', formatConfiguration({ jwt: [createIssuer('https://one'), createIssuer('https://two')] }))
  await waitForLog('Reloaded the authentication configuration')
  expect(tokens.asked).toContain('https://two')

  write('f', formatConfiguration({ jwt: [createIssuer('http://three')] }))
  await waitForLog('the previous one stays in use: jwt[0].issuer.url: Invalid value: "http://three"')
  write('f', formatConfiguration({ jwt: [createIssuer('https://one')], anonymous: { enabled: true } }))
  await waitForLog('anonymous: Forbidden: changed from initial configuration file')
  write('f', formatConfiguration({ jwt: [createIssuer('https://down')] }))
  await waitForLog('oidc: authenticator for issuer "https://down" is not healthy: connect: connection refused')
  expect(tokens.metrics()).toMatch(/apiserver_authentication_config_controller_automatic_reloads_total\{[^}]*status="success"\} 1/)
})

test('the mode AlwaysAllow disables anonymous requests', async () => {
  const logged: string[] = []
  await using chain = await startChain({ authorization: { modes: ['AlwaysAllow'] }, log: (_level, text) => void logged.push(text) })
  const status = await new Promise((resolve, reject) => {
    get(`${chain.url}/api/v1/secrets`, { ca: chain.certificateAuthority }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).on('error', reject)
  })
  expect(status).toBe(401)
  expect(logged).toContain(
    'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer',
  )
})
