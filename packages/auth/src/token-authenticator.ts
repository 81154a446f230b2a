import { hash, randomBytes } from 'node:crypto'
import { isApiError } from '@keelson/apimachinery'
import type { RequestContext, UserInfo } from '@keelson/apimachinery'

/** Receives warnings for the client and audit annotations from an authenticator. */
export type RequestNotes = Pick<RequestContext, 'warn' | 'annotate'>

/**
 * A recognized token that is not valid, with the reason. The reason is shown in the log and in the status of a TokenReview. It never
 * contains the token.
 */
export interface RejectedToken {
  readonly rejected: string
}

/** The result of checking a bearer token. Undefined if the authenticator does not recognize the token. */
export type TokenResult = UserInfo | RejectedToken | undefined

/** Authenticates bearer tokens. If no authenticator accepts a token, the request is rejected with the reasons of all. */
export interface TokenAuthenticator {
  authenticateToken(token: string, notes?: RequestNotes): Promise<TokenResult> | TokenResult
  /** True if an accepted token stays valid for the life of the process. The token is then looked up once per connection. */
  readonly isPermanent?: boolean
  /**
   * Authenticates a token for the given audiences. Returns the user and the matching audiences if the token is valid for any of them. The
   * method is absent if all tokens are only valid for this server.
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

/** Returns the rejection for an error of the API, for example because the storage is not available. Rethrows other errors, which are bugs. */
export function toRejection(error: unknown): RejectedToken {
  if (isApiError(error)) return { rejected: error.message }
  throw error
}

/**
 * Builds an authenticator from its method for audiences. Tokens of ordinary requests must be valid for `serverAudiences`, the audiences of this server.
 * API errors that occur while an object is looked up reject the token.
 */
export function createAudienceAuthenticator(
  serverAudiences: readonly string[],
  authenticateFor: NonNullable<TokenAuthenticator['authenticateFor']>,
): TokenAuthenticator {
  const authenticateSafely: typeof authenticateFor = (token, audiences, notes) =>
    authenticateFor(token, audiences, notes).catch(toRejection)
  return {
    authenticateToken: async (token, notes) => {
      const result = await authenticateSafely(token, serverAudiences, notes)
      return result !== undefined && 'user' in result ? result.user : result
    },
    authenticateFor: authenticateSafely,
  }
}

/** The error message for a token that no authenticator recognizes. */
const unknownToken = 'invalid bearer token'

/** Joins the reasons of several authenticators in the format of Go's aggregated errors. */
export function joinReasons(reasons: readonly string[] = []): string {
  const distinct = [...new Set(reasons)]
  return distinct.length > 1 ? `[${distinct.join(', ')}]` : (distinct[0] ?? unknownToken)
}

/**
 * Authenticates a fixed set of tokens. Only digests with a random key are kept and compared. So the time of a lookup reveals nothing about
 * a token, and no token stays in memory.
 */
export function createStaticTokens(tokens: Iterable<readonly [token: string, user: UserInfo]>): TokenAuthenticator {
  const key = randomBytes(32).toString('base64')
  const hashToken = (token: string): string => hash('sha256', key + token, 'base64')
  const users = new Map<string, UserInfo>()
  for (const [token, user] of tokens) users.set(hashToken(token), user)
  return { authenticateToken: (token) => users.get(hashToken(token)), isPermanent: true }
}

/** Generates a token of 256 random bits. Its characters never need quoting or escaping. */
export function generateToken(): string {
  return randomBytes(32).toString('base64url')
}
