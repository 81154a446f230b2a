import type { RoleBinding } from '@keelson/api/rbac/v1'
import { isPathSegmentName } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { setBindingDefaults, validateBinding, validateBindingUpdate } from '../bindings.ts'
import type { BindingRules } from '../bindings.ts'
import { bindingColumns } from '../columns.ts'

const rules: BindingRules = { roleKinds: ['Role', 'ClusterRole'], namespaced: true }

export const roleBindings: ResourceDefinition<RoleBinding> = defineResource<RoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  scope: 'Namespaced',
  validateName: isPathSegmentName,
  setDefaults: setBindingDefaults,
  strategy: {
    allowCreateOnUpdate: true,
    validateCreate: (_context, binding) => validateBinding(binding, rules),
    validateUpdate: (_context, binding, old) => validateBindingUpdate(binding, old, rules),
  },
  columns: bindingColumns,
})
