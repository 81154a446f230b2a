import { createManualClock } from '@keelson/apimachinery/testing'
import type { OutboundRequest } from '@keelson/outbound'
import { describe, expect, test } from 'vitest'
import { createCachedTokens } from '../cached-tokens.ts'
import { createWebhookTokenAuthenticator } from './webhook-token-authenticator.ts'
import type { ReviewVersion } from './access-review.ts'

function open(answer: (spec: { readonly token: string; readonly audiences?: string[] }) => object | number, version: ReviewVersion = 'v1') {
  const sent: object[] = []
  const logged: string[] = []
  const request = async ({ body }: OutboundRequest) => {
    const review = JSON.parse(body as string) as { spec: { token: string } }
    sent.push(review)
    const status = answer(review.spec)
    const failed = typeof status === 'number'
    return {
      failed: false as const,
      status: failed ? status : 200,
      headers: {},
      body: Buffer.from(failed ? 'no' : JSON.stringify({ ...review, status })),
    }
  }
  const webhook = { client: { request } }
  return {
    authenticator: createWebhookTokenAuthenticator({ webhook, version, audiences: ['api'], log: (text) => void logged.push(text) }),
    sent,
    logged,
  }
}

const alice = { username: 'alice', uid: 'u', groups: ['dev'], extra: { team: ['a'] } }

test.each(['v1', 'v1beta1'] as const)('reviews a token with version %s and reads the user', async (version) => {
  const { authenticator, sent } = open(() => ({ authenticated: true, user: alice }), version)
  expect(await authenticator.authenticateToken('t')).toEqual({ name: 'alice', uid: 'u', groups: ['dev'], extra: { team: ['a'] } })
  expect(sent).toEqual([
    {
      kind: 'TokenReview',
      apiVersion: `authentication.k8s.io/${version}`,
      metadata: {},
      spec: { token: 't', audiences: ['api'] },
      status: { user: {} },
    },
  ])
})

describe('audiences', () => {
  test.each([
    [['api'], undefined, ['api']],
    [['vault', 'api'], ['vault'], ['vault']],
    [['vault'], undefined, undefined],
    [['api'], ['vault'], undefined],
  ])('a request for %j with the response %j gives %j', async (requested, named, audiences) => {
    const { authenticator } = open(() => ({ authenticated: true, user: alice, audiences: named }))
    const result = await authenticator.authenticateFor?.('t', requested)
    expect(result && 'audiences' in result ? result.audiences : undefined).toEqual(audiences)
  })
})

test('does not recognize an unknown token, and rejects tokens after errors', async () => {
  expect(await open(() => ({ authenticated: false })).authenticator.authenticateToken('t')).toBeUndefined()
  expect(await open(() => ({ authenticated: false, error: 'expired' })).authenticator.authenticateToken('t')).toEqual({
    rejected: 'expired',
  })
  const broken = open(() => 404)
  expect(await broken.authenticator.authenticateToken('t')).toEqual({ rejected: 'the server could not find the requested resource' })
  expect(broken.logged).toEqual(['Failed to make webhook authenticator request: the server could not find the requested resource'])
})

describe('the cache', () => {
  test('keeps results for their TTL, by token and audiences', async () => {
    const clock = createManualClock()
    const { authenticator, sent } = open(({ token }) => ({ authenticated: token === 'good', user: alice }))
    const cached = createCachedTokens(authenticator, { audiences: ['api'], successTtlMs: 1000, unknownTtlMs: 500, clock })
    const isAuthenticated = async (token: string) => (await cached.authenticateToken(token)) !== undefined
    expect([
      await isAuthenticated('good'),
      await isAuthenticated('good'),
      await isAuthenticated('bad'),
      await isAuthenticated('bad'),
    ]).toEqual([true, true, false, false])
    expect(sent.length).toBe(2)
    await cached.authenticateFor?.('good', ['other'])
    expect(sent.length).toBe(3)
    clock.advance(999)
    await isAuthenticated('good')
    expect(sent.length).toBe(3)
    await isAuthenticated('bad')
    clock.advance(1)
    await isAuthenticated('good')
    expect(sent.length).toBe(5)
  })

  test('sends one review for concurrent requests, and does not cache failures', async () => {
    const { authenticator, sent } = open(() => 404)
    const cached = createCachedTokens(authenticator, { audiences: ['api'], successTtlMs: 1000, unknownTtlMs: 1000 })
    const results = await Promise.all(Array.from({ length: 10 }, async () => cached.authenticateToken('t')))
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
    expect(sent.length).toBe(1)
    await cached.authenticateToken('t')
    expect(sent.length).toBe(2)
  })
})
