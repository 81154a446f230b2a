import type { Pod } from '@keelson/api/core/v1'
import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { PodRules } from '../pod-spec/pod-rules.ts'
import { validatePodAnnotations } from '../pod-spec/validate-annotations.ts'
import { validateItems } from '../pod-spec/field-rules.ts'
import { validateImagePadding } from '../pod-spec/validate-images.ts'
import { validatePodSpec } from '../pod-spec/validate-pod-spec.ts'
import { validateProfileAnnotations } from '../pod-spec/validate-profile-annotations.ts'
import type { ReadonlyPodSpec } from '../pod-spec/visit-containers.ts'

const specPath = newFieldPath('spec')
const volumesPath = specPath.child('volumes')
const containersPath = specPath.child('containers')
const initContainersPath = specPath.child('initContainers')
const annotationsPath = newFieldPath('metadata', 'annotations')
const noSpec: ReadonlyPodSpec = { containers: null }

/** Validates a new pod. The registry validates its metadata. */
export function validatePodCreate(pod: DeepReadonly<Pod>, rules: PodRules): FieldErrorList {
  const errors = validatePod(pod, rules)
  const spec = pod.spec ?? noSpec
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(fieldError.forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create'))
  }
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    errors.push(fieldError.forbidden(specPath.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'))
  }
  return [...errors, ...validateProfileAnnotations(pod.metadata.annotations ?? {}, spec, specPath)]
}

/** Validates a pod on create and update. */
export function validatePod(pod: DeepReadonly<Pod>, rules: PodRules): FieldErrorList {
  const { metadata, spec = noSpec } = pod
  return [
    ...validatePodAnnotations(metadata.annotations ?? {}, { spec, rules }, annotationsPath),
    ...validatePodSpec(spec, { rules, metadata }, specPath),
    ...validateTokenSources(spec, volumesPath),
    ...validateItems(spec.containers, containersPath, validateImagePadding),
    ...validateItems(spec.initContainers, initContainersPath, validateImagePadding),
  ]
}

/** Rejects a pod that has projected service account tokens but no service account. */
function validateTokenSources(spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  if (spec.serviceAccountName) return []
  return (spec.volumes ?? []).flatMap(({ projected }, i) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, j) => {
      if (serviceAccountToken === undefined) return []
      const at = path.index(i).child('projected', 'sources').index(j).child('serviceAccountToken')
      return [fieldError.forbidden(at, 'must not be specified when serviceAccountName is not set')]
    }),
  )
}
