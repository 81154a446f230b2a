import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startTokenSigner } from '@keelson/auth/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { JsonResponse } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import { startChain } from './start-chain.fixture.ts'

/** Fields of API responses that the tests read. */
type Body = Record<string, never> & {
  readonly message?: string
  readonly metadata: { uid: string }
  readonly status: { token: string }
}

const openChains: ServerChain[] = []
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-tokens-'))
})
afterEach(async () => {
  await Promise.all(openChains.splice(0).map((chain) => chain.close()))
  // Retries, because certificates may still be written after a failed start.
  await rm(directory, { recursive: true, maxRetries: 5 })
})

async function start(options: ServerChainOptions = {}): Promise<ServerChain> {
  const chain = await startChain({ serving: { certificates: { directory } }, ...options })
  openChains.push(chain)
  return chain
}

function call(chain: ServerChain, method: string, target: string, body?: object, token?: string): Promise<JsonResponse<Body>> {
  return askServer(chain, method, target, { body, token })
}

const accounts = '/api/v1/namespaces/default/serviceaccounts'
const createTokenRequest = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  metadata,
  spec,
})

/** Sends a request with a token and returns the user name in the 403 response. Returns undefined if the token is rejected. */
async function readIdentity(chain: ServerChain, token: string): Promise<string | undefined> {
  const { status, body } = await call(chain, 'GET', '/api/v1/nodes', undefined, token)
  if (status === 401) return undefined
  expect(status).toBe(403)
  return /User "([^"]*)"/.exec(body.message!)?.[1]
}

test('a token authenticates its service account until the account is deleted', async () => {
  const chain = await start()
  const { body: account } = await call(chain, 'POST', accounts, { metadata: { name: 'builder' } })
  const created = await call(chain, 'POST', `${accounts}/builder/token`, createTokenRequest({ expirationSeconds: 600 }))
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: 'builder', namespace: 'default', uid: account.metadata.uid },
    spec: { audiences: ['https://kubernetes.default.svc'], expirationSeconds: 600, boundObjectRef: null },
  })
  const { token } = created.body.status
  expect(await readIdentity(chain, token)).toBe('system:serviceaccount:default:builder')
  expect(await readIdentity(chain, token.slice(0, -4) + 'AAAA')).toBeUndefined()

  const otherChain = await start()
  await call(otherChain, 'POST', accounts, { metadata: { name: 'builder' } })
  // A new service account with the same name has another UID.
  expect(await readIdentity(otherChain, token)).toBeUndefined()

  await call(chain, 'DELETE', `${accounts}/builder`)
  await expect.poll(() => readIdentity(chain, token)).toBeUndefined()
})

test('rejects a bound token after its secret is deleted', async () => {
  const chain = await start()
  await call(chain, 'POST', accounts, { metadata: { name: 'builder' } })
  const { body: secret } = await call(chain, 'POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } })
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: 's', uid: secret.metadata.uid }
  const { status, body } = await call(chain, 'POST', `${accounts}/builder/token`, createTokenRequest({ boundObjectRef }))
  expect({ status, message: body.message }).toEqual({ status: 201 })
  expect(await readIdentity(chain, body.status.token)).toBe('system:serviceaccount:default:builder')
  await call(chain, 'DELETE', '/api/v1/namespaces/default/secrets/s')
  await expect.poll(() => readIdentity(chain, body.status.token)).toBeUndefined()

  const requestInvalid = async (spec: object, metadata = {}): Promise<string> => {
    const answer = await call(chain, 'POST', `${accounts}/builder/token`, createTokenRequest(spec, metadata))
    return `${answer.status} ${answer.body.message}`
  }
  expect(await requestInvalid({ boundObjectRef })).toBe('404 secrets "s" not found')
  expect(await requestInvalid({ boundObjectRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } })).toBe(
    '400 cannot bind token to object of type apps/v1, Kind=Deployment',
  )
  expect(await requestInvalid({}, { name: 'other' })).toBe(
    '422 TokenRequest.authentication.k8s.io "builder" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
  )
  expect(await requestInvalid({}, { uid: 'x' })).toContain(
    '409 Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "builder": the UID',
  )
})

test('publishes issuer and keys for external verification', async () => {
  const key = path.join(directory, 'given.key')
  await writeFile(key, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }))
  const chain = await start({
    authentication: { serviceAccounts: { issuers: ['https://issuer.example', 'https://old.example'], signingKeyFile: key } },
  })
  const configuration = await call(chain, 'GET', '/.well-known/openid-configuration')
  expect(configuration).toMatchObject({
    headers: { 'content-type': 'application/json' },
    body: {
      issuer: 'https://issuer.example',
      jwks_uri: `${chain.url}/openid/v1/jwks`,
      id_token_signing_alg_values_supported: ['RS256'],
    },
  })
  const keySet = await call(chain, 'GET', '/openid/v1/jwks')
  expect(keySet).toMatchObject({
    headers: { 'content-type': 'application/jwk-set+json' },
    body: { keys: [{ use: 'sig', kty: 'RSA', alg: 'RS256' }] },
  })
})

test('an external signer issues tokens and publishes its keys', async () => {
  await using signer = await startTokenSigner(path.join(directory, 'signer'))
  const signingEndpoint = signer.socket
  const chain = await start({ authentication: { serviceAccounts: { signingEndpoint } } })
  await call(chain, 'POST', accounts, { metadata: { name: 'builder' } })
  const created = await call(chain, 'POST', `${accounts}/builder/token`, createTokenRequest({ expirationSeconds: 7200 }))
  expect([created.status, created.headers['warning']]).toEqual([
    201,
    '299 - "requested expiration of 7200 seconds shortened to 3600 seconds"',
  ])
  expect(await readIdentity(chain, created.body.status.token)).toBe('system:serviceaccount:default:builder')
  const keySet = await call(chain, 'GET', '/openid/v1/jwks')
  expect(keySet).toMatchObject({ body: { keys: [{ kid: '1', alg: 'ES256' }] } })
  expect(keySet.headers['cache-control']).toMatch(/^public, max-age=(60|5\d)$/)
  signer.setFailure('broken')
  const failed = await call(chain, 'POST', `${accounts}/builder/token`, createTokenRequest())
  expect([failed.status, failed.body.message]).toEqual([
    500,
    'Internal error occurred: failed to generate token: while signing jwt: rpc error: code = Unavailable desc = broken',
  ])
  await expect(start({ authentication: { serviceAccounts: { signingEndpoint } } })).rejects.toThrow('while setting up external-jwt-signer')
  signer.setFailure(undefined)
  await expect(start({ authentication: { serviceAccounts: { signingEndpoint, maxTokenExpirationSeconds: 3601 } } })).rejects.toThrow(
    'cannot be set longer than the token expiration supported by service-account-signing-endpoint',
  )
  await expect(start({ authentication: { serviceAccounts: { signingEndpoint: '@a b', keyFiles: ['x'] } } })).rejects.toThrow(
    /mutually exclusive.*must be a valid abstract socket name/s,
  )
})

test('fails the start if the key file contains no key', async () => {
  const key = path.join(directory, 'bad.key')
  await writeFile(key, 'nothing')
  await expect(start({ authentication: { serviceAccounts: { signingKeyFile: key } } })).rejects.toThrow(
    'does not contain a valid RSA or ECDSA private key',
  )
})
