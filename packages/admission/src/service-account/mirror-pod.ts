import type { Container, EphemeralContainer, Pod, PodSpec, Volume } from '@keelson/api/core/v1'
import type { AdmissionAttributes } from '../admission.ts'
import { forbidden } from '../forbidden.ts'

/** The API's picture of a pod that a kubelet runs from a file of its own. */
export function isMirrorPod(pod: Pod): boolean {
  return Object.hasOwn(pod.metadata.annotations ?? {}, 'kubernetes.io/config.mirror')
}

/** It is nobody's account and sees no secrets: the node decided to run it, not the API. */
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
