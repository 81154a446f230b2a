import { AdmissionPlugins } from './admission-plugins.ts'
import { alwaysAdmit } from './always-admit/index.ts'
import { alwaysDeny } from './always-deny/index.ts'
import { alwaysPullImages } from './always-pull-images/index.ts'
import { certificateApproval, certificateSigning, certificateSubjectRestriction, clusterTrustBundleAttest } from './certificates/index.ts'
import { defaultIngressClass } from './default-ingress-class/index.ts'
import { defaultStorageClass } from './default-storage-class/index.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds/index.ts'
import type { DefaultTolerationSecondsOptions } from './default-toleration-seconds/index.ts'
import { denyServiceExternalIPs } from './deny-service-external-ips/index.ts'
import { eventRateLimit } from './event-rate-limit/index.ts'
import { extendedResourceToleration } from './extended-resource-toleration/index.ts'
import { imagePolicyWebhook } from './image-policy-webhook/index.ts'
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology/index.ts'
import { limitRanger } from './limit-ranger/index.ts'
import { namespaceAutoProvision } from './namespace-auto-provision/index.ts'
import { namespaceExists } from './namespace-exists/index.ts'
import { namespaceLifecycle } from './namespace-lifecycle/index.ts'
import { nodeDeclaredFeatureValidator } from './node-declared-feature-validator/index.ts'
import { nodeRestriction } from './node-restriction/index.ts'
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement/index.ts'
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize/index.ts'
import { podNodeSelector } from './pod-node-selector/index.ts'
import { podResizeValidator } from './pod-resize-validator/index.ts'
import { podSecurity } from './pod-security/index.ts'
import { podTolerationRestriction } from './pod-toleration-restriction/index.ts'
import { podTopologyLabels } from './pod-topology-labels/index.ts'
import { mutatingAdmissionPolicy } from './policy/mutating/index.ts'
import { validatingAdmissionPolicy } from './policy/validating/index.ts'
import { priority } from './priority/index.ts'
import { resourceQuota } from './resource-quota/index.ts'
import { runtimeClass } from './runtime-class/index.ts'
import { serviceAccount } from './service-account/index.ts'
import { storageObjectInUseProtection } from './storage-object-in-use-protection/index.ts'
import { taintNodesByCondition } from './taint-nodes-by-condition/index.ts'
import { mutatingAdmissionWebhook, validatingAdmissionWebhook } from './webhook/index.ts'

export interface BuiltinPluginsOptions {
  readonly defaultTolerationSeconds?: DefaultTolerationSecondsOptions
}

/** Returns a registry with the plugins of this package. Other plugins can be added to the registry. */
export function builtinPlugins(options: BuiltinPluginsOptions = {}): AdmissionPlugins {
  const plugins = new AdmissionPlugins()
  plugins.register('AlwaysAdmit', alwaysAdmit)
  plugins.register('NamespaceAutoProvision', namespaceAutoProvision)
  plugins.register('NamespaceLifecycle', namespaceLifecycle)
  plugins.register('NamespaceExists', namespaceExists)
  plugins.register('LimitPodHardAntiAffinityTopology', limitPodHardAntiAffinityTopology)
  plugins.register('LimitRanger', limitRanger)
  plugins.register('ServiceAccount', serviceAccount)
  plugins.register('NodeRestriction', nodeRestriction)
  plugins.register('TaintNodesByCondition', taintNodesByCondition)
  plugins.register('AlwaysPullImages', alwaysPullImages)
  plugins.register('ImagePolicyWebhook', imagePolicyWebhook)
  plugins.register('PodSecurity', podSecurity)
  plugins.register('PodNodeSelector', podNodeSelector)
  plugins.register('Priority', priority)
  plugins.register('DefaultTolerationSeconds', () => defaultTolerationSeconds(options.defaultTolerationSeconds))
  plugins.register('PodTolerationRestriction', podTolerationRestriction)
  plugins.register('EventRateLimit', eventRateLimit)
  plugins.register('ExtendedResourceToleration', extendedResourceToleration)
  plugins.register('DefaultStorageClass', defaultStorageClass)
  plugins.register('StorageObjectInUseProtection', storageObjectInUseProtection)
  plugins.register('OwnerReferencesPermissionEnforcement', ownerReferencesPermissionEnforcement)
  plugins.register('PersistentVolumeClaimResize', persistentVolumeClaimResize)
  plugins.register('RuntimeClass', runtimeClass)
  plugins.register('CertificateApproval', certificateApproval)
  plugins.register('CertificateSigning', certificateSigning)
  plugins.register('ClusterTrustBundleAttest', clusterTrustBundleAttest)
  plugins.register('CertificateSubjectRestriction', certificateSubjectRestriction)
  plugins.register('DefaultIngressClass', defaultIngressClass)
  plugins.register('DenyServiceExternalIPs', denyServiceExternalIPs)
  plugins.register('PodTopologyLabels', podTopologyLabels)
  plugins.register('NodeDeclaredFeatureValidator', nodeDeclaredFeatureValidator)
  plugins.register('PodResizeValidator', podResizeValidator)
  plugins.register('MutatingAdmissionPolicy', mutatingAdmissionPolicy)
  plugins.register('MutatingAdmissionWebhook', mutatingAdmissionWebhook)
  plugins.register('ValidatingAdmissionPolicy', validatingAdmissionPolicy)
  plugins.register('ValidatingAdmissionWebhook', validatingAdmissionWebhook)
  plugins.register('ResourceQuota', resourceQuota)
  plugins.register('AlwaysDeny', alwaysDeny)
  return plugins
}
