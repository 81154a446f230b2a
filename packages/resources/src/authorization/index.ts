import { authorizationV1 } from '@keelson/api/authorization/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'

/** Nothing of it is stored: `authorizationReviews` answers. */
export const authorization: ApiGroup = defineApiGroup({
  name: 'authorization.k8s.io',
  priority: 17600,
  types: [authorizationV1],
  resources: [],
})
