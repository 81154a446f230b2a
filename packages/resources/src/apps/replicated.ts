import type { PodTemplateSpec } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validatePodTemplateSpec } from '@keelson/resources-core'
import { validateMatchingLabels, validateRunsForever } from '../workloads/matching-template.ts'
import { parseSelector, printedSelector, validateOwnSelector } from '../workloads/own-selector.ts'
import type { ReadonlySelector } from '../workloads/own-selector.ts'

interface Replicated {
  readonly selector: ReadonlySelector | null
  readonly template: DeepReadonly<PodTemplateSpec>
}

/** What deployments and the replica sets that they make say of their pods; the original speaks of deployments either way. */
export function validateReplicated(
  { selector, template }: Replicated,
  path: FieldPath,
  oldTemplate: DeepReadonly<PodTemplateSpec> | undefined,
): FieldErrorList {
  const errors = validateOwnSelector(selector, path.child('selector'), 'deployment')
  const parsed = parseSelector(selector)
  if (parsed === undefined)
    return [...errors, fieldError.invalid(path.child('selector'), printedSelector(selector), 'invalid label selector')]
  const templatePath = path.child('template')
  return [
    ...errors,
    ...validateMatchingLabels(template, parsed, templatePath),
    ...validatePodTemplateSpec(template, templatePath, oldTemplate),
    ...validateRunsForever(template, templatePath, 'ReplicaSet'),
  ]
}
