/**
 * Field names (in JSON) of kube-apiserver's internal structs, by struct. Contains only structs whose fields or field order differ from the
 * API type.
 */
export const internalFieldOrder: Readonly<Record<string, string>> = {
  PersistentVolumeSource:
    'gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd quobyte iscsi flexVolume cinder cephfs fc flocker ' +
    'azureFile vsphereVolume azureDisk photonPersistentDisk portworxVolume scaleIO local storageos csi',
  PodSecurityContext:
    'hostNetwork hostPID hostIPC shareProcessNamespace hostUsers seLinuxOptions windowsOptions runAsUser runAsGroup ' +
    'runAsNonRoot supplementalGroups supplementalGroupsPolicy fsGroup fsGroupChangePolicy sysctls seccompProfile ' +
    'appArmorProfile seLinuxChangePolicy',
  PodSpec:
    'volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds ' +
    'dnsPolicy nodeSelector serviceAccountName automountServiceAccountToken nodeName securityContext imagePullSecrets ' +
    'hostname subdomain setHostnameAsFQDN affinity schedulerName tolerations hostAliases priorityClassName priority ' +
    'preemptionPolicy dnsConfig readinessGates runtimeClassName overhead enableServiceLinks topologySpreadConstraints os ' +
    'schedulingGates resourceClaims resources hostnameOverride schedulingGroup',
  Volume:
    'name hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs persistentVolumeClaim ' +
    'rbd quobyte flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume azureDisk ' +
    'photonPersistentDisk projected portworxVolume scaleIO storageos csi ephemeral image',
}

/**
 * Fields that are pointers in the API types and plain values in kube-apiserver's internal types. A missing value is then printed as zero.
 */
export const valueFields: ReadonlySet<string> = new Set([
  'RollingUpdateDaemonSet.maxSurge',
  'RollingUpdateDaemonSet.maxUnavailable',
  'RollingUpdateDeployment.maxSurge',
  'RollingUpdateDeployment.maxUnavailable',
  'RollingUpdateStatefulSetStrategy.partition',
  'ServiceAccountTokenProjection.expirationSeconds',
])
