import { authenticationV1 } from '@keelson/api/authentication/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'

/** The group has no stored resources: `authenticationReviews` serves it. */
export const authentication: ApiGroup = defineApiGroup({
  name: 'authentication.k8s.io',
  priority: 17700,
  types: [authenticationV1],
  retiredVersions: ['v1beta1', 'v1alpha1'],
  resources: [],
})
