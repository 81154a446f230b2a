import { type DeepReadonly, type FieldErrorList, fieldError, fieldPath } from '@keelson/apimachinery'
import type { Pod } from '@keelson/api/core/v1'
import { validatePodSpec } from './validate-pod-spec.ts'

export function validatePod(pod: DeepReadonly<Pod>): FieldErrorList {
  return validatePodSpec(pod.spec ?? { containers: [] }, fieldPath('spec'))
}

/** A running pod's spec is fixed but for a few fields. */
export function validatePodUpdate(pod: DeepReadonly<Pod>, old: DeepReadonly<Pod>): FieldErrorList {
  const errors = validatePod(pod)
  if (errors.length > 0) return errors
  if (JSON.stringify(withoutMutable(pod)) === JSON.stringify(withoutMutable(old))) return []
  return [
    fieldError.forbidden(
      fieldPath('spec'),
      'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    ),
  ]
}

export function validatePodStatusUpdate(_pod: DeepReadonly<Pod>, _old: DeepReadonly<Pod>): FieldErrorList {
  return []
}

function withoutMutable(pod: DeepReadonly<Pod>): unknown {
  const { activeDeadlineSeconds: _, tolerations: __, containers, initContainers, ...rest } = pod.spec ?? { containers: [] }
  const withoutImage = (container: { readonly image?: string }): unknown => ({ ...container, image: '' })
  return { ...rest, containers: containers.map(withoutImage), initContainers: (initContainers ?? []).map(withoutImage) }
}
