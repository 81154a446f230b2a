import type { PodTemplateSpec } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, LabelsSelector } from '@keelson/apimachinery'
import { printMap } from '@keelson/resources-core'

type ReadonlyTemplate = DeepReadonly<PodTemplateSpec>

/** Requires that the selector matches the labels of the template. The controller would otherwise create pods endlessly. */
export function validateMatchingLabels(template: ReadonlyTemplate, selector: LabelsSelector, path: FieldPath): FieldErrorList {
  if (selector.matches(template.metadata?.labels)) return []
  const detail = '`selector` does not match template `labels`'
  return [fieldError.invalid(path.child('metadata', 'labels'), printMap(template.metadata, 'labels'), detail)]
}

/** Requires pods that do not terminate: restart policy "Always" and no deadline. */
export function validateAlwaysRunning(template: ReadonlyTemplate, path: FieldPath, kind: string): FieldErrorList {
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec ?? {}
  const specPath = path.child('spec')
  const errors = restartPolicy === 'Always' ? [] : [fieldError.notSupported(specPath.child('restartPolicy'), restartPolicy, ['Always'])]
  if (activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`
    errors.push(fieldError.forbidden(specPath.child('activeDeadlineSeconds'), detail))
  }
  return errors
}
