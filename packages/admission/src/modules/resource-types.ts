import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@keelson/api/admissionregistration/v1'
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@keelson/api/apps/v1'
import type { TokenRequest } from '@keelson/api/authentication/v1'
import type { Scale } from '@keelson/api/autoscaling/v1'
import type { HorizontalPodAutoscaler } from '@keelson/api/autoscaling/v2'
import type { CronJob, Job } from '@keelson/api/batch/v1'
import type { CertificateSigningRequest } from '@keelson/api/certificates/v1'
import type { Lease } from '@keelson/api/coordination/v1'
import type {
  Binding,
  ConfigMap,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodAttachOptions,
  PodExecOptions,
  PodPortForwardOptions,
  PodProxyOptions,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from '@keelson/api/core/v1'
import type { EndpointSlice } from '@keelson/api/discovery/v1'
import type { FlowSchema, PriorityLevelConfiguration } from '@keelson/api/flowcontrol/v1'
import type { IPAddress, Ingress, IngressClass, NetworkPolicy, ServiceCIDR } from '@keelson/api/networking/v1'
import type { RuntimeClass } from '@keelson/api/node/v1'
import type { Eviction, PodDisruptionBudget } from '@keelson/api/policy/v1'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@keelson/api/rbac/v1'
import type { DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from '@keelson/api/resource/v1'
import type { PriorityClass } from '@keelson/api/scheduling/v1'
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass } from '@keelson/api/storage/v1'
import type { KubeObject } from '@keelson/apimachinery'

/**
 * Types of the objects that an admission module sees, by resource. The group follows the name. A subresource has its own entry. The types
 * of custom resources can be added:
 *
 * @example
 * declare module '@keelson/admission' {
 *   interface ResourceTypes {
 *     'widgets.example.com': Widget
 *   }
 * }
 */
export interface ResourceTypes {
  /** Every resource and subresource that has no entry of its own in the module. */
  '*': KubeObject
  configmaps: ConfigMap
  endpoints: Endpoints
  events: Event
  limitranges: LimitRange
  namespaces: Namespace
  nodes: Node
  persistentvolumeclaims: PersistentVolumeClaim
  persistentvolumes: PersistentVolume
  podtemplates: PodTemplate
  pods: Pod
  replicationcontrollers: ReplicationController
  resourcequotas: ResourceQuota
  secrets: Secret
  serviceaccounts: ServiceAccount
  services: Service
  'mutatingadmissionpolicies.admissionregistration.k8s.io': MutatingAdmissionPolicy
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': MutatingAdmissionPolicyBinding
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': MutatingWebhookConfiguration
  'validatingadmissionpolicies.admissionregistration.k8s.io': ValidatingAdmissionPolicy
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': ValidatingAdmissionPolicyBinding
  'validatingwebhookconfigurations.admissionregistration.k8s.io': ValidatingWebhookConfiguration
  'controllerrevisions.apps': ControllerRevision
  'daemonsets.apps': DaemonSet
  'deployments.apps': Deployment
  'replicasets.apps': ReplicaSet
  'statefulsets.apps': StatefulSet
  'horizontalpodautoscalers.autoscaling': HorizontalPodAutoscaler
  'cronjobs.batch': CronJob
  'jobs.batch': Job
  'certificatesigningrequests.certificates.k8s.io': CertificateSigningRequest
  'leases.coordination.k8s.io': Lease
  'endpointslices.discovery.k8s.io': EndpointSlice
  'flowschemas.flowcontrol.apiserver.k8s.io': FlowSchema
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': PriorityLevelConfiguration
  'ingressclasses.networking.k8s.io': IngressClass
  'ingresses.networking.k8s.io': Ingress
  'ipaddresses.networking.k8s.io': IPAddress
  'networkpolicies.networking.k8s.io': NetworkPolicy
  'servicecidrs.networking.k8s.io': ServiceCIDR
  'runtimeclasses.node.k8s.io': RuntimeClass
  'poddisruptionbudgets.policy': PodDisruptionBudget
  'clusterrolebindings.rbac.authorization.k8s.io': ClusterRoleBinding
  'clusterroles.rbac.authorization.k8s.io': ClusterRole
  'rolebindings.rbac.authorization.k8s.io': RoleBinding
  'roles.rbac.authorization.k8s.io': Role
  'deviceclasses.resource.k8s.io': DeviceClass
  'resourceclaims.resource.k8s.io': ResourceClaim
  'resourceclaimtemplates.resource.k8s.io': ResourceClaimTemplate
  'resourceslices.resource.k8s.io': ResourceSlice
  'priorityclasses.scheduling.k8s.io': PriorityClass
  'csidrivers.storage.k8s.io': CSIDriver
  'csinodes.storage.k8s.io': CSINode
  'csistoragecapacities.storage.k8s.io': CSIStorageCapacity
  'storageclasses.storage.k8s.io': StorageClass
  'volumeattachments.storage.k8s.io': VolumeAttachment
  'volumeattributesclasses.storage.k8s.io': VolumeAttributesClass
  'pods/attach': PodAttachOptions
  'pods/binding': Binding
  'pods/ephemeralcontainers': Pod
  'pods/eviction': Eviction
  'pods/exec': PodExecOptions
  'pods/portforward': PodPortForwardOptions
  'pods/proxy': PodProxyOptions
  'pods/resize': Pod
  'serviceaccounts/token': TokenRequest
  'deployments.apps/scale': Scale
  'replicasets.apps/scale': Scale
  'statefulsets.apps/scale': Scale
  'replicationcontrollers/scale': Scale
  'namespaces/finalize': Namespace
  'certificatesigningrequests.certificates.k8s.io/approval': CertificateSigningRequest
  'namespaces/status': Namespace
  'nodes/status': Node
  'persistentvolumeclaims/status': PersistentVolumeClaim
  'persistentvolumes/status': PersistentVolume
  'pods/status': Pod
  'replicationcontrollers/status': ReplicationController
  'resourcequotas/status': ResourceQuota
  'services/status': Service
  'validatingadmissionpolicies.admissionregistration.k8s.io/status': ValidatingAdmissionPolicy
  'daemonsets.apps/status': DaemonSet
  'deployments.apps/status': Deployment
  'replicasets.apps/status': ReplicaSet
  'statefulsets.apps/status': StatefulSet
  'horizontalpodautoscalers.autoscaling/status': HorizontalPodAutoscaler
  'cronjobs.batch/status': CronJob
  'jobs.batch/status': Job
  'certificatesigningrequests.certificates.k8s.io/status': CertificateSigningRequest
  'flowschemas.flowcontrol.apiserver.k8s.io/status': FlowSchema
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/status': PriorityLevelConfiguration
  'ingresses.networking.k8s.io/status': Ingress
  'servicecidrs.networking.k8s.io/status': ServiceCIDR
  'poddisruptionbudgets.policy/status': PodDisruptionBudget
  'resourceclaims.resource.k8s.io/status': ResourceClaim
  'volumeattachments.storage.k8s.io/status': VolumeAttachment
}
