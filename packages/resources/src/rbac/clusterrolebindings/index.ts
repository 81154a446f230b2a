import type { ClusterRoleBinding } from '@keelson/api/rbac/v1'
import { isPathSegmentName } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { setBindingDefaults, validateBinding, validateBindingUpdate } from '../bindings.ts'
import type { BindingRules } from '../bindings.ts'
import { bindingColumns } from '../columns.ts'

const rules: BindingRules = { roleKinds: ['ClusterRole'], namespaced: false }

export const clusterRoleBindings: ResourceDefinition<ClusterRoleBinding> = defineResource<ClusterRoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
  validateName: isPathSegmentName,
  setDefaults: setBindingDefaults,
  strategy: {
    allowCreateOnUpdate: true,
    validateCreate: (_context, binding) => validateBinding(binding, rules),
    validateUpdate: (_context, binding, old) => validateBindingUpdate(binding, old, rules),
  },
  columns: bindingColumns,
})
