import { rbacV1 } from '@keelson/api/rbac/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { clusterRoleBindings } from './clusterrolebindings/index.ts'
import { clusterRoles } from './clusterroles/index.ts'
import { roleBindings } from './rolebindings/index.ts'
import { createBindingHooks, createRoleHooks } from './escalation.ts'
import type { RoleServices } from './escalation.ts'
import { roles } from './roles/index.ts'

export const rbac: ApiGroup<RoleServices> = defineApiGroup({
  name: 'rbac.authorization.k8s.io',
  priority: 17000,
  types: [rbacV1],
  retiredVersions: ['v1beta1', 'v1alpha1'],
  resources: [clusterRoleBindings, clusterRoles, roleBindings, roles],
  createExtensions: ({ roleAuthority }: RoleServices) => ({
    hooks: {
      clusterrolebindings: () => createBindingHooks(roleAuthority, 'clusterrolebindings'),
      clusterroles: () => createRoleHooks(roleAuthority, 'clusterroles'),
      rolebindings: () => createBindingHooks(roleAuthority, 'rolebindings'),
      roles: () => createRoleHooks(roleAuthority, 'roles'),
    },
  }),
})
