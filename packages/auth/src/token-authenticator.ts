import { hash, randomBytes } from 'node:crypto'
import { isApiError } from '@keelson/apimachinery'
import type { RequestContext, UserInfo } from '@keelson/apimachinery'

/** Receives what an authenticator has to say about a request: warnings for the client, annotations of the audit event. */
export type RequestNotes = Pick<RequestContext, 'warn' | 'annotate'>

/** The reason for which a recognized token is not valid. Goes to the log and to the status of a TokenReview. Never contains the token. */
export interface RejectedToken {
  readonly rejected: string
}

/** Undefined: the authenticator does not know the token. */
export type TokenResult = UserInfo | RejectedToken | undefined

/** Returns the user of a bearer token. If no authenticator does, the request is rejected with the reasons of all. */
export interface TokenAuthenticator {
  authenticateToken(token: string, notes?: RequestNotes): Promise<TokenResult> | TokenResult
  /** True if a known token stays valid for the life of the process. It then need not be looked up for each request of a connection. */
  readonly isPermanent?: boolean
  /**
   * For tokens with audiences: the user, if the token is valid for any of `audiences`, and the ones that matched.
   * Absent if all tokens are for this server.
   */
  authenticateFor?(
    token: string,
    audiences: readonly string[],
    notes?: RequestNotes,
  ): Promise<TokenForAudiences | RejectedToken | undefined>
}

export interface TokenForAudiences {
  readonly user: UserInfo
  readonly audiences: readonly string[]
}

export function isRejectedToken(result: object): result is RejectedToken {
  return 'rejected' in result
}

/** The rejection for a failed lookup, for example while the store is not available. Rethrows other errors: they are bugs. */
export function rejectionOf(error: unknown): RejectedToken {
  if (isApiError(error)) return { rejected: error.message }
  throw error
}

/** The reason for a token that no authenticator knows. */
const unknownToken = 'invalid bearer token'

/** Joins the reasons for which a token is not valid, as Go prints several errors. */
export function joinReasons(reasons: readonly string[] = []): string {
  const distinct = [...new Set(reasons)]
  return distinct.length > 1 ? `[${distinct.join(', ')}]` : (distinct[0] ?? unknownToken)
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
