export type { ParamAccess, ParamAuthority } from './admissionregistration/param-access.ts'
export { apiGroups } from './api-groups.ts'
export type { ResourceServices } from './api-groups.ts'
export type { NamespaceLabels } from './resource/claim-rules.ts'
export type { ClaimStatusAuthorizer } from './resource/resourceclaims/status-permissions.ts'
export { readCertificateRequestSubject } from './certificates/certificatesigningrequests/request-pem.ts'
export type { CertificateSubject } from './certificates/certificatesigningrequests/request-pem.ts'
export { mandatoryFlowSchemas, mandatoryPriorityLevels } from './flowcontrol/mandatory.ts'
export { autoUpdateAnnotation, bootstrapFlowSchemas, bootstrapPriorityLevels } from './flowcontrol/suggested.ts'
export { isSystemPriorityClass, systemPriorityClasses } from './scheduling/priorityclasses/system-classes.ts'
export {
  bindingsToSplit,
  bootstrapClusterRoleBindings,
  bootstrapClusterRoles,
  bootstrapRoleBindings,
  bootstrapRoles,
  roleAutoUpdateAnnotation,
  rolesToAggregate,
} from './rbac/bootstrap/bootstrap-objects.ts'
export type { RoleAuthority, RoleName, UserRules } from './rbac/escalation.ts'
export { findMissingRules } from './rbac/rule-coverage.ts'
export type { TokenReviewer, TokenVerdict } from './authentication/tokenreviews/index.ts'
export type { AccessAuthorizer, AccessDecision, ResolvedRules, RuleResolver } from './authorization/access-authorizer.ts'
