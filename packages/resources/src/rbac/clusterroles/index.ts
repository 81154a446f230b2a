import type { ClusterRole } from '@keelson/api/rbac/v1'
import { isPathSegmentName } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validateClusterRole, validateClusterRoleUpdate } from './validate.ts'

/** What may be done everywhere, by whom it is bound to. Rules that are gathered from other roles are a controller's to write. */
export const clusterRoles: ResourceDefinition<ClusterRole> = defineResource<ClusterRole>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
  validateName: isPathSegmentName,
  strategy: {
    allowCreateOnUpdate: true,
    validateCreate: (_context, role) => validateClusterRole(role),
    validateUpdate: (_context, role, old) => validateClusterRoleUpdate(role, old),
  },
})
