import { authenticationV1 } from '@keelson/api/authentication/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'

/** Nothing of it is stored: `authenticationReviews` answers. */
export const authentication: ApiGroup = defineApiGroup({
  name: 'authentication.k8s.io',
  priority: 17700,
  types: [authenticationV1],
  resources: [],
})
