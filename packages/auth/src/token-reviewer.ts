import type { UserInfo } from '@keelson/apimachinery'
import { isRejectedToken, joinReasons } from './token-authenticator.ts'
import type { RejectedToken, TokenAuthenticator, TokenForAudiences } from './token-authenticator.ts'
import { addAuthenticatedGroup } from './users.ts'

export interface TokenReviewer {
  /** Reviews a token for `audiences`. If the list is empty, the server's own audiences are used. */
  reviewToken(token: string, audiences: readonly string[]): Promise<TokenVerdict>
}

export type TokenVerdict =
  | { readonly authenticated: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly authenticated: false; readonly error: string }

export interface TokenReviewerOptions {
  readonly tokens: readonly TokenAuthenticator[]
  /** This server's audiences. */
  readonly audiences: readonly string[]
}

/**
 * Creates the implementation of TokenReview. It authenticates a token like one in a request, and also returns the audiences for which the
 * token is valid.
 */
export function createTokenReviewer({ tokens, audiences: ownAudiences }: TokenReviewerOptions): TokenReviewer {
  async function find(
    authenticator: TokenAuthenticator,
    token: string,
    requestedAudiences: readonly string[],
  ): Promise<TokenForAudiences | RejectedToken | undefined> {
    if (authenticator.authenticateFor !== undefined) return authenticator.authenticateFor(token, requestedAudiences)
    const audiences = requestedAudiences.filter((audience) => ownAudiences.includes(audience))
    const user = audiences.length > 0 ? await authenticator.authenticateToken(token) : undefined
    return user === undefined || isRejectedToken(user) ? user : { user, audiences }
  }
  return {
    async reviewToken(token, audiences) {
      const requestedAudiences = audiences.length > 0 ? audiences : ownAudiences
      const reasons: string[] = []
      for (const authenticator of tokens) {
        const result = await find(authenticator, token, requestedAudiences)
        if (result === undefined) continue
        if (isRejectedToken(result)) {
          reasons.push(result.rejected)
          continue
        }
        return { authenticated: true, user: addAuthenticatedGroup(result.user), audiences: result.audiences }
      }
      return { authenticated: false, error: joinReasons(reasons) }
    },
  }
}
