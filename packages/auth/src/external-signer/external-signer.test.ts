import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTokenVerifier } from '../service-account-tokens/token-verifier.ts'
import { startTokenSigner } from '../testing/token-signer.ts'
import type { TokenSigner } from '../testing/token-signer.ts'
import { connectSigner, openExternalSigner } from './external-signer.ts'
import type { ExternalSigner } from './external-signer.ts'
import { createSignerMetrics } from './signer-metrics.ts'

const claims = { id: 'id', namespace: 'default', serviceAccount: { name: 'a', uid: 'u' }, audiences: ['api'], expirationSeconds: 600 }
const registry = createMetricsRegistry()
const metrics = createSignerMetrics(registry)

let directory: string
let signer: TokenSigner
let opened: ExternalSigner | undefined
let now: number
/** Pending timers with the time at which each fires. */
let timers: { readonly at: number; readonly call: () => void }[]
let errors: unknown[]
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-signer-'))
  signer = await startTokenSigner(path.join(directory, 'socket'))
  now = Date.parse('2026-06-01T12:00:00Z')
  timers = []
  errors = []
})
afterEach(async () => {
  opened?.close()
  opened = undefined
  await signer[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

async function open(): Promise<ExternalSigner> {
  const callAfter = (milliseconds: number, call: () => void): (() => void) => {
    const timer = { at: now + milliseconds, call }
    timers.push(timer)
    return () => (timers = timers.filter((other) => other !== timer))
  }
  opened = await openExternalSigner({
    client: await connectSigner(signer.socket),
    issuer: 'https://issuer',
    clock: { now: () => now, after: callAfter },
    metrics,
    onError: (error) => errors.push(error),
  })
  return opened
}

function pass(seconds: number): void {
  now += seconds * 1000
  const due = timers.filter(({ at }) => at <= now)
  timers = timers.filter(({ at }) => at > now)
  for (const { call } of due) call()
}

const verify = async (external: ExternalSigner, token: string): Promise<unknown> =>
  createTokenVerifier({ keys: (id) => external.getKeys(id) }).verify(token, new Set(['https://issuer']))

test('issues tokens that verify with its keys, and fetches keys when a token has an unknown key id', async () => {
  const external = await open()
  expect([external.maxTokenSeconds, external.maxAgeSeconds, external.publishedKeys.map(({ id }) => id)]).toEqual([3600, 60, ['1']])
  const first = await external.issue(claims)
  expect(await verify(external, first)).toMatchObject({
    payload: { iss: 'https://issuer', sub: 'system:serviceaccount:default:a', jti: 'id' },
  })
  signer.rotate('2')
  const second = await external.issue(claims)
  expect(signer.calls.fetchKeys).toBe(1)
  expect(await verify(external, second)).toMatchObject({ payload: { jti: 'id' } })
  expect(await verify(external, first)).toMatchObject({ payload: { jti: 'id' } })
  expect(signer.calls.fetchKeys).toBe(2)
  expect(await Promise.all([external.getKeys('unknown'), external.getKeys('unknown')])).toEqual([[], []])
  expect(signer.calls.fetchKeys).toBe(3)
})

test('refreshes keys when the refresh hint expires, and keeps the old keys if the refresh fails', async () => {
  const external = await open()
  signer.rotate('2')
  signer.exclude('1')
  pass(60)
  await expect.poll(() => external.publishedKeys.map(({ id }) => id)).toEqual(['2'])
  expect((await external.getKeys('')).map(({ id }) => id)).toEqual(['1', '2'])
  signer.setFailure('gone')
  pass(60)
  await expect
    .poll(() => errors.map(String))
    .toEqual(['Error: while fetching token verification keys: rpc error: code = Unavailable desc = gone'])
  expect(external.publishedKeys.map(({ id }) => id)).toEqual(['2'])
  await expect(external.issue(claims)).rejects.toThrow('while signing jwt: rpc error: code = Unavailable desc = gone')
  signer.setFailure(undefined)
  signer.rotate('3')
  await expect.poll(() => timers.length).toBe(1)
  pass(10)
  await expect.poll(() => external.publishedKeys.map(({ id }) => id)).toEqual(['2', '3'])
  const text = registry.text()
  expect(text).toMatch(/^apiserver_externaljwt_fetch_keys_data_timestamp 1700000000$/m)
  expect(text).toMatch(/apiserver_externaljwt_sign_request_total\{code="Unavailable"\} 1/)
})

describe('a signer that does not work', () => {
  test.each([
    [{ typ: 'at+jwt' }, 'bad type'],
    [{ kid: '' }, 'key id missing'],
    [{ kid: 'k'.repeat(1025) }, 'key id longer than 1 kb'],
    [{ alg: 'HS256' }, 'bad signing algorithm "HS256"'],
    [{ jku: 'x' }, 'json: unknown field "jku"'],
  ])('fails to issue a token with the header members %j', async (members, message) => {
    const external = await open()
    signer.setHeader(members)
    await expect(external.issue(claims)).rejects.toThrow(
      `while validating header: ${message.startsWith('json') ? 'while parsing header JSON: ' : ''}${message}`,
    )
  })

  test('fails to issue a token with a key that is excluded from discovery', async () => {
    signer.exclude('1')
    const external = await open()
    await expect(external.issue(claims)).rejects.toThrow('key used for signing JWT (kid: 1) is excluded from OIDC discovery docs')
  })

  test.each<[string, (signer: TokenSigner) => void]>([
    ['max token life supported by external-jwt-signer (599s) is less than acceptable (min 600s)', (one) => one.setMaxTokenSeconds(599)],
    ['found invalid refresh hint (0s)', (tokenSigner) => tokenSigner.setRefreshSeconds(0)],
    ['found invalid public key id ""', (tokenSigner) => tokenSigner.rotate('')],
    ['rpc error: code = Unavailable desc = broken', (tokenSigner) => tokenSigner.setFailure('broken')],
  ])('fails to open: %s', async (message, change) => {
    change(signer)
    await expect(open()).rejects.toThrow(message)
  })
})
