export { core, coreGroups } from './api-groups.ts'
export { parseAnnotationList } from './annotation-list.ts'
export { containsCidr, findCidrWarnings, formatCidr, parseCidr, validateCidr, validateLegacyCidr } from './cidr.ts'
export type { Cidr } from './cidr.ts'
export { createComponentStatuses } from './componentstatuses/index.ts'
export type { ComponentCheck, ComponentHealth } from './componentstatuses/index.ts'
export { formatContainerImages, formatContainerNames } from './container-columns.ts'
export { configMaps } from './configmaps/index.ts'
export { endpoints } from './endpoints/index.ts'
export { events } from './events/index.ts'
export { toInternalStruct } from './internal-structs/to-internal-struct.ts'
export { findIPErrors, formatIP, findIPWarnings, parseIP, validateIP, validateLegacyIP } from './ip-address.ts'
export type { IPAddress } from './ip-address.ts'
export { keepMember } from './keep-member.ts'
export { formatLabelSelector } from './format-label-selector.ts'
export { formatLabels } from './format-labels.ts'
export { limitRanges } from './limitranges/index.ts'
export { namespaces } from './namespaces/index.ts'
export { nodes } from './nodes/index.ts'
export { setClaimDefaults } from './persistentvolumeclaims/defaults.ts'
export { persistentVolumeClaims } from './persistentvolumeclaims/index.ts'
export { persistentVolumes, setInlineVolumeDefaults } from './persistentvolumes/index.ts'
export { validateInlineVolumeSpec } from './persistentvolumes/validate-inline.ts'
export { podTemplates } from './podtemplates/index.ts'
export { replicationControllers } from './replicationcontrollers/index.ts'
export { resourceQuotas } from './resourcequotas/index.ts'
export {
  createInvalidErrors,
  validateDNSLabel,
  validateDNSSubdomain,
  validateQualifiedName,
  validateRequired,
  validateRequiredOneOf,
  validateSupported,
} from './pod-spec/field-rules.ts'
export { listContainers, listContainersWithPath, listMutableContainers } from './pod-spec/visit-containers.ts'
export { getNodeLabelDeprecation, findNodeLabelSelectorWarnings } from './pod-spec/node-label-warnings.ts'
export { dropDisabledPodFields } from './pod-spec/drop-disabled-fields.ts'
export { setPodSpecDefaults, setPodTemplateDefaults } from './pod-spec/pod-spec-defaults.ts'
export { findPodNameWarnings } from './pod-spec/pod-name-warnings.ts'
export { validatePodAnnotations } from './pod-spec/validate-annotations.ts'
export { createPodRules } from './pod-spec/pod-rules.ts'
export type { PodLike, PodRules } from './pod-spec/pod-rules.ts'
export { isExtendedResource } from './pod-spec/resource-names.ts'
export { findPodWarnings } from './pod-spec/pod-warnings.ts'
export { validateClaimSpec, validateTemplateMeta } from './pod-spec/validate-claim-spec.ts'
export { validateNodeSelector } from './pod-spec/validate-node-affinity.ts'
export { validatePodTemplateSpec } from './pod-spec/validate-pod-template.ts'
export { validateContainerResourceName, validateContainerResources } from './pod-spec/validate-resources.ts'
export type { ResourceScope } from './pod-spec/validate-resources.ts'
export { validateCSIDriverName } from './pod-spec/volume-sources-network.ts'
export { validateSignerName } from './pod-spec/validate-signer-name.ts'
export { validateTolerations } from './pod-spec/validate-tolerations.ts'
export { findClaimSpecWarnings } from './pod-spec/volume-warnings.ts'
export { pods } from './pods/index.ts'
export { computeQosClass } from './pods/qos.ts'
export { createBindings, createBindingSubresource } from './pods/subresources/binding.ts'
export { createEvictionSubresource } from './pods/subresources/eviction.ts'
export type { DisruptionBudgets, EvictionOptions } from './pods/subresources/eviction.ts'
export { printList, printMap } from './print-map.ts'
export { secrets } from './secrets/index.ts'
export type { ObjectLookup } from './serviceaccounts/bound-object.ts'
export { serviceAccounts } from './serviceaccounts/index.ts'
export { createTokenSubresource } from './serviceaccounts/token-subresource.ts'
export type { TokenClaims, TokenSubresourceOptions } from './serviceaccounts/token-subresource.ts'
export { services } from './services/index.ts'
export {
  allocatesNodePorts,
  isHeadless,
  needsClusterIP,
  needsHealthCheck,
  noClusterIP,
  getNodePorts,
  opensNodePorts,
  hasEqualItems,
  getSpec,
  getAllocatedValues,
} from './services/service-facts.ts'
export type { ReadonlyService, ReadonlySpec } from './services/service-facts.ts'
export { getFamily, validateClusterIPs } from './services/validate-cluster-ips.ts'
export { findEndpointIPErrors } from './services/validate.ts'
export { copyTemplateLabels, templateLabelsOnRead } from './template-labels.ts'
