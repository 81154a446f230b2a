import { hash, randomBytes } from 'node:crypto'
import type { UserInfo } from '@keelson/apimachinery'

/** Returns the user of a bearer token; undefined if the token is unknown. */
export interface TokenAuthenticator {
  authenticateToken(token: string): Promise<UserInfo | undefined> | UserInfo | undefined
  /** True if a known token stays valid for the life of the process. It then need not be looked up for each request of a connection. */
  readonly isPermanent?: boolean
  /**
   * For tokens with audiences: the user, if the token is valid for any of `audiences`, and the ones that matched.
   * Absent if all tokens are for this server.
   */
  authenticateFor?(token: string, audiences: readonly string[]): Promise<TokenForAudiences | undefined>
}

export interface TokenForAudiences {
  readonly user: UserInfo
  readonly audiences: readonly string[]
}

/**
 * Authenticates a fixed set of tokens. They are kept and looked up as digests keyed for this process: the time of a lookup reveals nothing
 * about a guessed token, and the tokens themselves do not stay in memory.
 */
export function createStaticTokens(tokens: Iterable<readonly [token: string, user: UserInfo]>): TokenAuthenticator {
  const key = randomBytes(32).toString('base64')
  const digest = (token: string): string => hash('sha256', key + token, 'base64')
  const users = new Map<string, UserInfo>()
  for (const [token, user] of tokens) users.set(digest(token), user)
  return { authenticateToken: (token) => users.get(digest(token)), isPermanent: true }
}

/** Generates 256 random bits in characters that never need quoting. */
export function generateToken(): string {
  return randomBytes(32).toString('base64url')
}
