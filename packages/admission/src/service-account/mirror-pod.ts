import type { Container, EphemeralContainer, Pod, PodSpec, Volume } from '@keelson/api/core/v1'
import type { AdmissionAttributes } from '../admission.ts'
import { forbidden } from '../forbidden.ts'

/** Returns whether the pod mirrors a static pod of a kubelet. */
export function isMirrorPod(pod: Pod): boolean {
  return Object.hasOwn(pod.metadata.annotations ?? {}, 'kubernetes.io/config.mirror')
}

/** A mirror pod has no account and no secrets: the node runs it whatever the API says. */
export function checkMirrorPod(attributes: AdmissionAttributes, spec: PodSpec): void {
  if (spec.serviceAccountName) throw forbidden(attributes, 'a mirror pod may not reference service accounts')
  if (namesSecrets(spec)) throw forbidden(attributes, 'a mirror pod may not reference secrets')
  const projectsToken = (spec.volumes ?? []).some(({ projected }) => projected?.sources?.some((source) => source.serviceAccountToken))
  if (projectsToken) throw forbidden(attributes, 'a mirror pod may not use ServiceAccountToken volume projections')
}

function namesSecrets(spec: PodSpec): boolean {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]
  return (
    (spec.imagePullSecrets ?? []).some(({ name }) => !!name) ||
    containers.some(usesSecret) ||
    (spec.volumes ?? []).some((volume) => secretNames(volume).some((name) => !!name))
  )
}

function usesSecret(container: Container | EphemeralContainer): boolean {
  return (
    (container.envFrom ?? []).some(({ secretRef }) => !!secretRef?.name) ||
    (container.env ?? []).some(({ valueFrom }) => !!valueFrom?.secretKeyRef?.name)
  )
}

function secretNames(volume: Volume): readonly (string | undefined)[] {
  return [
    volume.azureFile?.secretName,
    volume.cephfs?.secretRef?.name,
    volume.cinder?.secretRef?.name,
    volume.flexVolume?.secretRef?.name,
    ...(volume.projected?.sources ?? []).map((source) => source.secret?.name),
    volume.rbd?.secretRef?.name,
    volume.secret?.secretName,
    volume.scaleIO?.secretRef?.name,
    volume.iscsi?.secretRef?.name,
    volume.storageos?.secretRef?.name,
    volume.csi?.nodePublishSecretRef?.name,
  ]
}
