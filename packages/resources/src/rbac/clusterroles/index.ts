import type { ClusterRole } from '@keelson/api/rbac/v1'
import { isPathSegmentName } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validateClusterRole, validateClusterRoleUpdate } from './validate.ts'

/** The definition of ClusterRole: permissions in the whole cluster. A controller sets the rules of aggregated roles. */
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
