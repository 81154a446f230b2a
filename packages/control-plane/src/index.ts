export { createMemoryCertificateStore, createKubeconfig, getVersionInfo, writeKubeconfig } from '@keelson/server'
export { createUserKubeconfig } from './user-kubeconfig.ts'
export type { UserKubeconfigOptions } from './user-kubeconfig.ts'
export type { AppliedStorage } from './apply-with-storage-factory.ts'
export type { GenericConfig } from './build-generic-config.ts'
export type { GroupServices } from './group-services.ts'
export { builtinGroups } from './builtin-groups.ts'
export { ConfigurationError } from './configuration-error.ts'
export { findOptionProblems } from './option-problems.ts'
export type { LegacyRESTStorageOptions } from './new-legacy-rest-storage.ts'
export {
  applyWithStorageFactoryTo,
  buildGenericConfig,
  createServerChain,
  installAPIGroup,
  installLegacyAPIGroup,
  newLegacyRESTStorage,
  newStorageFactoryConfig,
} from './seeds.ts'
export type { ServerChain } from './server-chain.ts'
export type { ServerChainOptions } from './options/server-chain-options.ts'
export { loadAdmissionModule } from '@keelson/admission'
export { admissionDefaults } from './options/admission.ts'
export { authenticationDefaults, authorizationDefaults, authorizationModes } from './options/authentication.ts'
export { auditDefaults } from './options/audit.ts'
export type { AuditOptions } from './options/audit.ts'
export { diagnosticsDefaults } from './options/diagnostics.ts'
export { kubeletDefaults } from './options/kubelet.ts'
export { lifecycleDefaults } from './options/lifecycle.ts'
export { requestDefaults } from './options/requests.ts'
export { servicesDefaults } from './options/services.ts'
export { servingDefaults } from './options/serving.ts'
export { storageDefaults } from './options/storage.ts'
export { createSystemNamespaces, systemNamespaces } from './bootstrap/system-namespaces.ts'
