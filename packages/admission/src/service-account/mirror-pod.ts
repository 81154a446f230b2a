import { listPodSecretNames } from '@keelson/auth'
import type { Pod } from '@keelson/api/core/v1'
import type { AdmissionAttributes } from '../admission.ts'
import { newForbiddenWrite } from '../forbidden.ts'

export const mirrorAnnotation = 'kubernetes.io/config.mirror'

/** Returns whether a pod is the mirror pod of a static pod. */
export function isMirrorPod(pod: Pod): boolean {
  return Object.hasOwn(pod.metadata.annotations ?? {}, mirrorAnnotation)
}

/** Rejects a mirror pod that has a service account or secrets, because the node runs it without the API server's control. */
export function checkMirrorPod(attributes: AdmissionAttributes, pod: Pod): void {
  const spec = pod.spec ?? { containers: null }
  if (spec.serviceAccountName) throw newForbiddenWrite(attributes, 'a mirror pod may not reference service accounts')
  if (listPodSecretNames(pod).length > 0) throw newForbiddenWrite(attributes, 'a mirror pod may not reference secrets')
  const projectsToken = (spec.volumes ?? []).some(({ projected }) => projected?.sources?.some((source) => source.serviceAccountToken))
  if (projectsToken) throw newForbiddenWrite(attributes, 'a mirror pod may not use ServiceAccountToken volume projections')
}
