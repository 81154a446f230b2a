import type { RESTStorage } from '@keelson/registry'
import { selfSubjectReviews } from './selfsubjectreviews/index.ts'
import { tokenReviews } from './tokenreviews/index.ts'
import type { TokenReviewer } from './tokenreviews/index.ts'

/** REST storages of authentication.k8s.io/v1, by resource path. */
export function authenticationReviews(reviewer: TokenReviewer): ReadonlyMap<string, RESTStorage> {
  return new Map([
    ['selfsubjectreviews', selfSubjectReviews()],
    ['tokenreviews', tokenReviews(reviewer)],
  ])
}
