import { AdmissionPlugins } from './admission-plugins.ts'
import { createAlwaysAdmitPlugin } from './always-admit/index.ts'
import { createAlwaysDenyPlugin } from './always-deny/index.ts'
import { createAlwaysPullImagesPlugin } from './always-pull-images/index.ts'
import {
  createCertificateApprovalPlugin,
  createCertificateSigningPlugin,
  createCertificateSubjectRestrictionPlugin,
  createClusterTrustBundleAttestPlugin,
} from './certificates/index.ts'
import { defaultIngressClass } from './default-ingress-class/index.ts'
import { defaultStorageClass } from './default-storage-class/index.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds/index.ts'
import type { DefaultTolerationSecondsOptions } from './default-toleration-seconds/index.ts'
import { denyServiceExternalIPs } from './deny-service-external-ips/index.ts'
import { createEventRateLimitPlugin } from './event-rate-limit/index.ts'
import { createExtendedResourceTolerationPlugin } from './extended-resource-toleration/index.ts'
import { createImagePolicyWebhookPlugin } from './image-policy-webhook/index.ts'
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology/index.ts'
import { limitRanger } from './limit-ranger/index.ts'
import { createNamespaceAutoProvisionPlugin } from './namespace-auto-provision/index.ts'
import { createNamespaceExistsPlugin } from './namespace-exists/index.ts'
import { createNamespaceLifecyclePlugin } from './namespace-lifecycle/index.ts'
import { createNodeDeclaredFeatureValidatorPlugin } from './node-declared-feature-validator/index.ts'
import { createNodeRestrictionPlugin } from './node-restriction/index.ts'
import { createOwnerReferencesPermissionEnforcementPlugin } from './owner-references-permission-enforcement/index.ts'
import { createPersistentVolumeClaimResizePlugin } from './persistent-volume-claim-resize/index.ts'
import { createPodNodeSelectorPlugin } from './pod-node-selector/index.ts'
import { createPodResizeValidatorPlugin } from './pod-resize-validator/index.ts'
import { createPodSecurityPlugin } from './pod-security/index.ts'
import { createPodTolerationRestrictionPlugin } from './pod-toleration-restriction/index.ts'
import { createPodTopologyLabelsPlugin } from './pod-topology-labels/index.ts'
import { createMutatingAdmissionPolicyPlugin } from './policy/mutating/index.ts'
import { createValidatingAdmissionPolicyPlugin } from './policy/validating/index.ts'
import { createPriorityPlugin } from './priority/index.ts'
import { createResourceQuotaPlugin } from './resource-quota/index.ts'
import { createRuntimeClassPlugin } from './runtime-class/index.ts'
import { createServiceAccountPlugin } from './service-account/index.ts'
import { createStorageObjectInUseProtectionPlugin } from './storage-object-in-use-protection/index.ts'
import { createTaintNodesByConditionPlugin } from './taint-nodes-by-condition/index.ts'
import { createMutatingAdmissionWebhookPlugin, createValidatingAdmissionWebhookPlugin } from './webhook/index.ts'

export interface BuiltinPluginsOptions {
  readonly defaultTolerationSeconds?: DefaultTolerationSecondsOptions
}

/** Returns a registry with the plugins of this package. Other plugins can be added to the registry. */
export function createBuiltinPlugins(options: BuiltinPluginsOptions = {}): AdmissionPlugins {
  const plugins = new AdmissionPlugins()
  plugins.register('AlwaysAdmit', createAlwaysAdmitPlugin)
  plugins.register('NamespaceAutoProvision', createNamespaceAutoProvisionPlugin)
  plugins.register('NamespaceLifecycle', createNamespaceLifecyclePlugin)
  plugins.register('NamespaceExists', createNamespaceExistsPlugin)
  plugins.register('LimitPodHardAntiAffinityTopology', limitPodHardAntiAffinityTopology)
  plugins.register('LimitRanger', limitRanger)
  plugins.register('ServiceAccount', createServiceAccountPlugin)
  plugins.register('NodeRestriction', createNodeRestrictionPlugin)
  plugins.register('TaintNodesByCondition', createTaintNodesByConditionPlugin)
  plugins.register('AlwaysPullImages', createAlwaysPullImagesPlugin)
  plugins.register('ImagePolicyWebhook', createImagePolicyWebhookPlugin)
  plugins.register('PodSecurity', createPodSecurityPlugin)
  plugins.register('PodNodeSelector', createPodNodeSelectorPlugin)
  plugins.register('Priority', createPriorityPlugin)
  plugins.register('DefaultTolerationSeconds', () => defaultTolerationSeconds(options.defaultTolerationSeconds))
  plugins.register('PodTolerationRestriction', createPodTolerationRestrictionPlugin)
  plugins.register('EventRateLimit', createEventRateLimitPlugin)
  plugins.register('ExtendedResourceToleration', createExtendedResourceTolerationPlugin)
  plugins.register('DefaultStorageClass', defaultStorageClass)
  plugins.register('StorageObjectInUseProtection', createStorageObjectInUseProtectionPlugin)
  plugins.register('OwnerReferencesPermissionEnforcement', createOwnerReferencesPermissionEnforcementPlugin)
  plugins.register('PersistentVolumeClaimResize', createPersistentVolumeClaimResizePlugin)
  plugins.register('RuntimeClass', createRuntimeClassPlugin)
  plugins.register('CertificateApproval', createCertificateApprovalPlugin)
  plugins.register('CertificateSigning', createCertificateSigningPlugin)
  plugins.register('ClusterTrustBundleAttest', createClusterTrustBundleAttestPlugin)
  plugins.register('CertificateSubjectRestriction', createCertificateSubjectRestrictionPlugin)
  plugins.register('DefaultIngressClass', defaultIngressClass)
  plugins.register('DenyServiceExternalIPs', denyServiceExternalIPs)
  plugins.register('PodTopologyLabels', createPodTopologyLabelsPlugin)
  plugins.register('NodeDeclaredFeatureValidator', createNodeDeclaredFeatureValidatorPlugin)
  plugins.register('PodResizeValidator', createPodResizeValidatorPlugin)
  plugins.register('MutatingAdmissionPolicy', createMutatingAdmissionPolicyPlugin)
  plugins.register('MutatingAdmissionWebhook', createMutatingAdmissionWebhookPlugin)
  plugins.register('ValidatingAdmissionPolicy', createValidatingAdmissionPolicyPlugin)
  plugins.register('ValidatingAdmissionWebhook', createValidatingAdmissionWebhookPlugin)
  plugins.register('ResourceQuota', createResourceQuotaPlugin)
  plugins.register('AlwaysDeny', createAlwaysDenyPlugin)
  return plugins
}
