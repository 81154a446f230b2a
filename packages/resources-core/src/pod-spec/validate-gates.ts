import type { PodSchedulingGroup } from '@keelson/api/core/v1'
import { fieldError, nameIsDNSSubdomain, repeatCheck } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateItems, validateQualifiedName } from './field-rules.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

export function validateReadinessGates({ readinessGates: gates }: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  if (gates === undefined) return []
  return validateItems(gates, path.child('readinessGates'), ({ conditionType = '' }, at) =>
    validateQualifiedName(conditionType, at.child('conditionType')),
  )
}

export function validateSchedulingGates({ schedulingGates: gates }: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  if (gates === undefined) return []
  const isRepeated = repeatCheck<string>()
  return validateItems(gates, path.child('schedulingGates'), ({ name = '' }, at) => {
    const errors = validateQualifiedName(name, at)
    if (isRepeated(name)) errors.push(fieldError.duplicate(at, name))
    return errors
  })
}

export function validateSchedulingGroup(group: DeepReadonly<PodSchedulingGroup>, path: FieldPath): FieldErrorList {
  const { podGroupName: name } = group
  const at = path.child('podGroupName')
  if (name === undefined) return [fieldError.invalid(at, null, 'must specify one of: `podGroupName`')]
  return createInvalidErrors(nameIsDNSSubdomain(name, false), name, at)
}
