import { authenticationV1 } from '@keelson/api/authentication/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup, RESTStorage, StorageHost } from '@keelson/registry'
import { createSelfSubjectReviews } from './selfsubjectreviews/index.ts'
import { createTokenReviews } from './tokenreviews/index.ts'
import type { TokenReviewer } from './tokenreviews/index.ts'

/** The services that the group uses. */
export interface AuthenticationServices {
  readonly tokenReviewer: TokenReviewer
}

/** The group authentication.k8s.io. Its resources are not stored. */
export const authentication: ApiGroup<AuthenticationServices> = defineApiGroup({
  name: 'authentication.k8s.io',
  priority: 17700,
  types: [authenticationV1],
  retiredVersions: ['v1beta1', 'v1alpha1'],
  resources: [],
  newRESTStorage: ({ services }: StorageHost<AuthenticationServices>) =>
    new Map<string, RESTStorage>([
      ['selfsubjectreviews', createSelfSubjectReviews()],
      ['tokenreviews', createTokenReviews(services.tokenReviewer)],
    ]),
})
