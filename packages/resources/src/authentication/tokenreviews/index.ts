import type { TokenReview } from '@keelson/api/authentication/v1'
import { copyObject, newBadRequest } from '@keelson/apimachinery'
import type { GroupVersionKind, KubeObject, UserInfo } from '@keelson/apimachinery'
import { restFacts } from '@keelson/registry'
import type { Creater, RESTStorage } from '@keelson/registry'
import { reviewedUser } from '../user-info.ts'

const reviewKind: GroupVersionKind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenReview' }

/** What the authenticators of tokens say of one. */
export interface TokenReviewer {
  /** `audiences` are those it must be for one of; none: this server's own. */
  reviewToken(token: string, audiences: readonly string[]): Promise<TokenVerdict>
}

export type TokenVerdict =
  | { readonly authenticated: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly authenticated: false; readonly error: string }

/** Tells others whose token they were shown. */
export function tokenReviews(reviewer: TokenReviewer): RESTStorage & Creater {
  return {
    ...restFacts(reviewKind, { namespaced: false, singularName: 'tokenreview' }),
    async create(_context, object, { validate }): Promise<KubeObject> {
      const review = object as TokenReview
      const { token = '', audiences = [] } = review.spec ?? {}
      if (token === '') throw newBadRequest('token is required for TokenReview in authentication')
      await validate?.(copyObject(review), undefined)
      const verdict = await reviewer.reviewToken(token, audiences)
      review.status = verdict.authenticated
        ? { authenticated: true, user: reviewedUser(verdict.user), audiences: [...verdict.audiences] }
        : { user: {}, error: verdict.error }
      return { ...review, kind: reviewKind.kind, apiVersion: `${reviewKind.group}/${reviewKind.version}` }
    },
  }
}
