import { expect, it } from 'vitest'
import { createStaticTokens } from './token-authenticator.ts'
import type { TokenAuthenticator } from './token-authenticator.ts'
import { createTokenReviewer } from './token-reviewer.ts'

const alice = { name: 'alice', groups: ['dev'] }
const bob = { name: 'bob', groups: ['system:authenticated'] }
const forOthers: TokenAuthenticator = {
  authenticateToken: () => undefined,
  authenticateFor: async (token, audiences) =>
    token === 'b' && audiences.includes('vault') ? { user: bob, audiences: ['vault'] } : undefined,
}
const reviewer = createTokenReviewer({ tokens: [createStaticTokens([['a', alice]]), forOthers], audiences: ['api'] })

it("reports a token's user and audiences", async () => {
  const user = { name: 'alice', groups: ['dev', 'system:authenticated'] }
  expect(await reviewer.reviewToken('a', [])).toEqual({ authenticated: true, user, audiences: ['api'] })
  expect(await reviewer.reviewToken('a', ['vault', 'api'])).toEqual({ authenticated: true, user, audiences: ['api'] })
  expect(await reviewer.reviewToken('b', ['vault', 'api'])).toEqual({ authenticated: true, user: bob, audiences: ['vault'] })
})

it.each([
  ['a', ['vault']],
  ['b', []],
  ['c', []],
])('does not authenticate the token %s for the audiences %j', async (token, audiences) => {
  expect(await reviewer.reviewToken(token, audiences)).toEqual({ authenticated: false, error: 'invalid bearer token' })
})
