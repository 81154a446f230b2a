import { authorizationV1 } from '@keelson/api/authorization/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup, RESTStorage, StorageHost } from '@keelson/registry'
import type { AccessAuthorizer, RuleResolver } from './access-authorizer.ts'
import { createSelfSubjectRulesReviews } from './selfsubjectrulesreviews/index.ts'
import { accessReviews } from './subjectaccessreviews/index.ts'

/** The services that the group uses. */
export interface AuthorizationServices {
  readonly authorizer: AccessAuthorizer
  readonly ruleResolver: RuleResolver
}

/** The group authorization.k8s.io. Its resources are not stored. */
export const authorization: ApiGroup<AuthorizationServices> = defineApiGroup({
  name: 'authorization.k8s.io',
  priority: 17600,
  types: [authorizationV1],
  retiredVersions: ['v1beta1'],
  resources: [],
  newRESTStorage: ({ services: { authorizer, ruleResolver } }: StorageHost<AuthorizationServices>) =>
    new Map<string, RESTStorage>([
      ['localsubjectaccessreviews', accessReviews(authorizer, 'LocalSubjectAccessReview')],
      ['selfsubjectaccessreviews', accessReviews(authorizer, 'SelfSubjectAccessReview')],
      ['selfsubjectrulesreviews', createSelfSubjectRulesReviews(ruleResolver)],
      ['subjectaccessreviews', accessReviews(authorizer, 'SubjectAccessReview')],
    ]),
})
