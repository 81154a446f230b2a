import { createHmac, randomBytes } from 'node:crypto'
import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { isRejectedToken } from './token-authenticator.ts'
import type { RejectedToken, TokenAuthenticator, TokenForAudiences } from './token-authenticator.ts'
import { ExpiringCache } from './webhook/expiring-cache.ts'

export interface CachedTokensOptions {
  /** The audiences of this server. */
  readonly audiences: readonly string[]
  /** How long successful lookups are cached, in milliseconds. 0 disables caching. Failed lookups are never cached. */
  readonly successTtlMs: number
  readonly unknownTtlMs: number
  readonly clock?: Clock
}

type Result = TokenForAudiences | RejectedToken | undefined

const maxCachedTokens = 32_768

/**
 * Creates an authenticator that caches the results of `tokens`. Concurrent requests with the same token share one lookup. The cache keys
 * are HMAC digests, so the cache contains no tokens.
 */
export function createCachedTokens(tokens: TokenAuthenticator, options: CachedTokensOptions): TokenAuthenticator {
  const { audiences: ownAudiences, successTtlMs, unknownTtlMs, clock = systemClock } = options
  const key = randomBytes(32)
  const cache = new ExpiringCache<{ readonly result: Result }>(maxCachedTokens, clock)
  const running = new Map<string, Promise<Result>>()

  async function lookUp(token: string, audiences: readonly string[]): Promise<Result> {
    if (tokens.authenticateFor !== undefined) return tokens.authenticateFor(token, audiences)
    const matching = audiences.filter((audience) => ownAudiences.includes(audience))
    const result = matching.length === 0 ? undefined : await tokens.authenticateToken(token)
    return result === undefined || isRejectedToken(result) ? result : { user: result, audiences: matching }
  }

  function find(token: string, audiences: readonly string[]): Result | Promise<Result> {
    const digest = createHmac('sha256', key)
      .update(JSON.stringify([token, audiences]))
      .digest('base64')
    const cached = cache.get(digest)
    if (cached !== undefined) return cached.result
    let lookup = running.get(digest)
    if (lookup === undefined) {
      lookup = lookUp(token, audiences)
        .then((result) => {
          if (result === undefined) cache.set(digest, { result }, unknownTtlMs)
          else if (!isRejectedToken(result)) cache.set(digest, { result }, successTtlMs)
          return result
        })
        .finally(() => running.delete(digest))
      running.set(digest, lookup)
    }
    return lookup
  }

  const readUser = (result: Result) => (result === undefined || isRejectedToken(result) ? result : result.user)
  return {
    authenticateToken: (token) => {
      const result = find(token, ownAudiences)
      return result instanceof Promise ? result.then(readUser) : readUser(result)
    },
    authenticateFor: async (token, audiences) => find(token, audiences),
  }
}
