export { coreGroups } from './api-groups.ts'
export { configMaps } from './configmaps/index.ts'
export { events } from './events/index.ts'
export { limitRanges } from './limitranges/index.ts'
export { namespaces } from './namespaces/index.ts'
export { nodes } from './nodes/index.ts'
export { resourceQuotas } from './resourcequotas/index.ts'
export {
  validateDNSLabel,
  validateDNSSubdomain,
  validateQualifiedName,
  validateRequired,
  validateRequiredOneOf,
  validateSupported,
} from './pod-spec/field-rules.ts'
export { nodeLabelDeprecation } from './pod-spec/node-label-warnings.ts'
export { dropDisabledPodFields } from './pod-spec/drop-disabled-fields.ts'
export { setPodSpecDefaults, setPodTemplateDefaults } from './pod-spec/pod-spec-defaults.ts'
export { podWarnings } from './pod-spec/pod-warnings.ts'
export { validateClaimSpec } from './pod-spec/validate-claim-spec.ts'
export { validatePodTemplateSpec } from './pod-spec/validate-pod-template.ts'
export { pods } from './pods/index.ts'
export { registerCore } from './register-core.ts'
export { coreResources } from './resources.ts'
export { secrets } from './secrets/index.ts'
export { serviceAccounts } from './serviceaccounts/index.ts'
export { parsePortRange } from './services/allocation/port-pool.ts'
export type { PortRange } from './services/allocation/port-pool.ts'
export { createServiceHooks } from './services/allocation/service-hooks.ts'
export type { ServiceHooksOptions } from './services/allocation/service-hooks.ts'
export { services } from './services/index.ts'
