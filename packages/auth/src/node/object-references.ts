import type { Container, EphemeralContainer, PersistentVolume, Pod, Volume } from '@keelson/api/core/v1'
import { appendAll } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'

/** Resources of the objects that a pod can refer to. */
export type UsedResource = 'secrets' | 'configmaps' | 'serviceaccounts' | 'persistentvolumeclaims' | 'resourceclaims'

export interface ObjectReference {
  readonly resource: UsedResource
  readonly namespace: string
  readonly name: string
}

const mirrorAnnotation = 'kubernetes.io/config.mirror'

/**
 * Lists the objects that a pod's kubelet needs. The list is empty for mirror pods: a node creates them and must not gain access by naming
 * objects.
 */
export function listPodReferences(pod: DeepReadonly<Pod>): ObjectReference[] {
  const { metadata, spec, status } = pod
  if (spec === undefined || Object.hasOwn(metadata.annotations ?? {}, mirrorAnnotation)) return []
  const { namespace = '' } = metadata
  const references: ObjectReference[] = []
  const add = (resource: UsedResource, name: string | undefined): void => {
    if (name) references.push({ resource, namespace, name })
  }
  add('serviceaccounts', spec.serviceAccountName)
  for (const name of listPodSecretNames(pod)) add('secrets', name)
  for (const name of listPodConfigMapNames(pod)) add('configmaps', name)
  for (const volume of spec.volumes ?? []) add('persistentvolumeclaims', getClaimOfVolume(metadata.name ?? '', volume))
  for (const { name, resourceClaimName, resourceClaimTemplateName } of spec.resourceClaims ?? []) {
    if (resourceClaimName !== undefined) add('resourceclaims', resourceClaimName)
    else if (resourceClaimTemplateName !== undefined) {
      add('resourceclaims', status?.resourceClaimStatuses?.find((claim) => claim.name === name)?.resourceClaimName)
    }
  }
  add('resourceclaims', status?.extendedResourceClaimStatus?.resourceClaimName)
  return references
}

/** Lists the names of secrets in the pod's namespace to which the pod refers. Names may be repeated. */
export function listPodSecretNames({ spec }: DeepReadonly<Pod>): string[] {
  const names: (string | undefined)[] = (spec?.imagePullSecrets ?? []).map(({ name }) => name)
  for (const { env, envFrom } of listContainers(spec)) {
    for (const { secretRef } of envFrom ?? []) names.push(secretRef?.name)
    for (const { valueFrom } of env ?? []) names.push(valueFrom?.secretKeyRef?.name)
  }
  for (const volume of spec?.volumes ?? []) appendAll(names, listVolumeSecretNames(volume))
  return names.filter((name) => name !== undefined && name !== '') as string[]
}

/** Lists the names of config maps to which the pod refers. Names may be repeated. */
export function listPodConfigMapNames({ spec }: DeepReadonly<Pod>): string[] {
  const names: (string | undefined)[] = []
  for (const { env, envFrom } of listContainers(spec)) {
    for (const { configMapRef } of envFrom ?? []) names.push(configMapRef?.name)
    for (const { valueFrom } of env ?? []) names.push(valueFrom?.configMapKeyRef?.name)
  }
  for (const { configMap, projected } of spec?.volumes ?? []) {
    names.push(configMap?.name)
    for (const source of projected?.sources ?? []) names.push(source.configMap?.name)
  }
  return names.filter((name) => name !== undefined && name !== '') as string[]
}

/** Returns the claim that a pod's volume uses. The claim of an ephemeral volume is named after the pod and the volume. */
export function getClaimOfVolume(
  podName: string,
  { name, persistentVolumeClaim, ephemeral }: Pick<DeepReadonly<Volume>, 'name' | 'persistentVolumeClaim' | 'ephemeral'>,
): string | undefined {
  if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName
  return ephemeral === undefined ? undefined : `${podName}-${name}`
}

function listContainers(spec: DeepReadonly<Pod>['spec']): readonly DeepReadonly<Container | EphemeralContainer>[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])]
}

function listVolumeSecretNames(volume: DeepReadonly<Volume>): readonly (string | undefined)[] {
  const { azureFile, cephfs, cinder, flexVolume, projected, rbd, secret, scaleIO, iscsi, storageos, csi } = volume
  return [
    azureFile?.secretName,
    cephfs?.secretRef?.name,
    cinder?.secretRef?.name,
    flexVolume?.secretRef?.name,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
    rbd?.secretRef?.name,
    secret?.secretName,
    scaleIO?.secretRef?.name,
    iscsi?.secretRef?.name,
    storageos?.secretRef?.name,
    csi?.nodePublishSecretRef?.name,
  ]
}

/** Lists the secrets that a kubelet needs to mount the volume. A reference without a namespace means the namespace of the claim. */
export function listVolumeSecrets({ spec = {} }: DeepReadonly<PersistentVolume>): ObjectReference[] {
  const { azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi, claimRef } = spec
  const references: ObjectReference[] = []
  const add = (name: string | undefined, namespace: string | null | undefined, fallback: string | undefined): void => {
    if (name) references.push({ resource: 'secrets', namespace: namespace || (fallback ?? ''), name })
  }
  add(azureFile?.secretName, azureFile?.secretNamespace, claimRef?.namespace)
  for (const reference of [cephfs?.secretRef, flexVolume?.secretRef, rbd?.secretRef, scaleIO?.secretRef, iscsi?.secretRef])
    add(reference?.name, reference?.namespace, claimRef?.namespace)
  const withNamespace = [
    cinder?.secretRef,
    storageos?.secretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ]
  for (const reference of withNamespace) add(reference?.name, reference?.namespace, undefined)
  return references
}
