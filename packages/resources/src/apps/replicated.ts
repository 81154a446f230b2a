import type { PodTemplateSpec } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validatePodTemplateSpec } from '@keelson/resources-core'
import { validateMatchingLabels, validateAlwaysRunning } from '../workloads/matching-template.ts'
import { parseSelector, printSelector, validateWorkloadSelector } from '../workloads/workload-selector.ts'
import type { ReadonlySelector } from '../workloads/workload-selector.ts'

interface Replicated {
  readonly selector: ReadonlySelector | null
  readonly template: DeepReadonly<PodTemplateSpec>
}

/** Validates selector and template of deployments and replica sets. Like in kube-apiserver, messages say "deployment" for both. */
export function validateReplicated(
  { selector, template }: Replicated,
  path: FieldPath,
  oldTemplate: DeepReadonly<PodTemplateSpec> | undefined,
): FieldErrorList {
  const errors = validateWorkloadSelector(selector, path.child('selector'), 'deployment')
  const parsed = parseSelector(selector)
  if (parsed === undefined)
    return [...errors, fieldError.invalid(path.child('selector'), printSelector(selector), 'invalid label selector')]
  const templatePath = path.child('template')
  return [
    ...errors,
    ...validateMatchingLabels(template, parsed, templatePath),
    ...validatePodTemplateSpec(template, templatePath, oldTemplate),
    ...validateAlwaysRunning(template, templatePath, 'ReplicaSet'),
  ]
}
