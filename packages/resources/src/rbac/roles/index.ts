import type { Role } from '@keelson/api/rbac/v1'
import { isPathSegmentName } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validatePolicyRules } from '../validate-rules.ts'

/** The definition of Role: permissions in one namespace. */
export const roles: ResourceDefinition<Role> = defineResource<Role>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  scope: 'Namespaced',
  validateName: isPathSegmentName,
  strategy: {
    allowCreateOnUpdate: true,
    validateCreate: (_context, role) => validateRole(role),
    validateUpdate: (_context, role) => validateRole(role),
  },
})

function validateRole({ rules }: DeepReadonly<Role>): FieldErrorList {
  return validatePolicyRules(rules ?? [], { namespaced: true })
}
