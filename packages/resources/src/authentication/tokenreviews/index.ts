import type { TokenReview } from '@keelson/api/authentication/v1'
import { copyObject, newBadRequest } from '@keelson/apimachinery'
import type { GroupVersionKind, KubeObject, UserInfo } from '@keelson/apimachinery'
import { describeRESTStorage } from '@keelson/registry'
import type { Creater, RESTStorage } from '@keelson/registry'
import { toApiUserInfo } from '../user-info.ts'

const reviewKind: GroupVersionKind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenReview' }

/** Authenticates tokens on behalf of TokenReview. */
export interface TokenReviewer {
  /** The token must be valid for at least one of `audiences`; an empty list means this server's audiences. */
  reviewToken(token: string, audiences: readonly string[]): Promise<TokenVerdict>
}

export type TokenVerdict =
  | { readonly authenticated: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly authenticated: false; readonly error: string }

/** Creates the implementation of TokenReview, which returns the user of a token. */
export function createTokenReviews(reviewer: TokenReviewer): RESTStorage & Creater {
  return {
    ...describeRESTStorage(reviewKind, { namespaced: false, singularName: 'tokenreview' }),
    async create(_context, object, { validate }): Promise<KubeObject> {
      const review = object as TokenReview
      const { token = '', audiences = [] } = review.spec ?? {}
      if (token === '') throw newBadRequest('token is required for TokenReview in authentication')
      await validate?.(copyObject(review), undefined)
      const verdict = await reviewer.reviewToken(token, audiences)
      review.status = verdict.authenticated
        ? { authenticated: true, user: toApiUserInfo(verdict.user), audiences: [...verdict.audiences] }
        : { user: {}, error: verdict.error }
      return { ...review, kind: reviewKind.kind, apiVersion: `${reviewKind.group}/${reviewKind.version}` }
    },
  }
}
