export { apiGroups } from './api-groups.ts'
export { isSystemPriorityClass, systemPriorityClasses } from './scheduling/priorityclasses/system-classes.ts'
export { bindingHooks, roleHooks } from './rbac/escalation.ts'
export type { RoleAuthority, RoleName } from './rbac/escalation.ts'
