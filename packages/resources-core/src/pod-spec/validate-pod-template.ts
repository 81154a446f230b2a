import type { PodTemplateSpec } from '@keelson/api/core/v1'
import { fieldError, validateAnnotations, validateLabels } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createPodRules } from './pod-rules.ts'
import { validatePodAnnotations } from './validate-annotations.ts'
import { validatePodSpec } from './validate-pod-spec.ts'
import { validateProfileAnnotations } from './validate-profile-annotations.ts'

/** Validates the pod template at `path`. Values that `old` already had stay valid, even if a create would reject them (ratcheting). */
export function validatePodTemplateSpec(
  template: DeepReadonly<PodTemplateSpec>,
  path: FieldPath,
  old?: DeepReadonly<PodTemplateSpec>,
): FieldErrorList {
  const rules = createPodRules('template', old)
  const { labels, annotations = {} } = template.metadata ?? {}
  const spec = template.spec ?? { containers: null }
  const specPath = path.child('spec')
  const errors = [
    ...validateLabels(labels, path.child('labels')),
    ...validateAnnotations(annotations, path.child('annotations')),
    ...validatePodAnnotations(annotations, { spec, rules }, path.child('annotations')),
    ...validatePodSpec(spec, { rules }, specPath),
    ...validateProfileAnnotations(annotations, spec, specPath),
  ]
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(fieldError.forbidden(specPath.child('ephemeralContainers'), 'ephemeral containers not allowed in pod template'))
  }
  return errors
}
