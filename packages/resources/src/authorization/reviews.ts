import type { RESTStorage } from '@keelson/registry'
import type { AccessAuthorizer, RuleResolver } from './access-authorizer.ts'
import { selfSubjectRulesReviews } from './selfsubjectrulesreviews/index.ts'
import { accessReviews } from './subjectaccessreviews/index.ts'

/** REST storages of authorization.k8s.io/v1, by resource path. */
export function authorizationReviews(authorizer: AccessAuthorizer, rules: RuleResolver): ReadonlyMap<string, RESTStorage> {
  return new Map([
    ['localsubjectaccessreviews', accessReviews(authorizer, 'LocalSubjectAccessReview')],
    ['selfsubjectaccessreviews', accessReviews(authorizer, 'SelfSubjectAccessReview')],
    ['selfsubjectrulesreviews', selfSubjectRulesReviews(rules)],
    ['subjectaccessreviews', accessReviews(authorizer, 'SubjectAccessReview')],
  ])
}
