import { hash, randomBytes } from 'node:crypto'
import type { UserInfo } from '@keelson/apimachinery'

/** Who a bearer token stands for; undefined when it is not one of these. */
export interface TokenAuthenticator {
  authenticateToken(token: string): Promise<UserInfo | undefined> | UserInfo | undefined
  /** Whom it knows it knows for as long as the process runs; then it need not be asked again for each request of a connection. */
  readonly lasting?: boolean
  /**
   * For tokens that say for whom they are: whom it stands for when it is for one of `audiences`, and for which of them.
   * Absent: all its tokens are for this server.
   */
  authenticateFor?(token: string, audiences: readonly string[]): Promise<TokenForAudiences | undefined>
}

export interface TokenForAudiences {
  readonly user: UserInfo
  readonly audiences: readonly string[]
}

/**
 * A fixed set of tokens. They are kept and looked up as digests under a key of this process, so the time a lookup takes says nothing
 * about how much of a guessed token was right, and the tokens themselves do not stay in memory.
 */
export function createStaticTokens(tokens: Iterable<readonly [token: string, user: UserInfo]>): TokenAuthenticator {
  const key = randomBytes(32).toString('base64')
  const digest = (token: string): string => hash('sha256', key + token, 'base64')
  const users = new Map<string, UserInfo>()
  for (const [token, user] of tokens) users.set(digest(token), user)
  return { authenticateToken: (token) => users.get(digest(token)), lasting: true }
}

/** 256 random bits, in characters that need no quoting anywhere. */
export function generateToken(): string {
  return randomBytes(32).toString('base64url')
}
