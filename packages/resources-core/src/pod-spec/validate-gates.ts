import type { PodReadinessGate, PodSchedulingGate, PodSchedulingGroup } from '@keelson/api/core/v1'
import { fieldError, nameIsDNSSubdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { invalidEach, validateQualifiedName } from './field-rules.ts'

export function validateReadinessGates(gates: readonly DeepReadonly<PodReadinessGate>[], path: FieldPath): FieldErrorList {
  return gates.flatMap(({ conditionType = '' }, i) => validateQualifiedName(conditionType, path.index(i).child('conditionType')))
}

export function validateSchedulingGates(gates: readonly DeepReadonly<PodSchedulingGate>[], path: FieldPath): FieldErrorList {
  const seen = new Set<string>()
  return gates.flatMap(({ name = '' }, i) => {
    const errors = validateQualifiedName(name, path.index(i))
    if (seen.has(name)) errors.push(fieldError.duplicate(path.index(i), name))
    seen.add(name)
    return errors
  })
}

export function validateSchedulingGroup(group: DeepReadonly<PodSchedulingGroup>, path: FieldPath): FieldErrorList {
  const { podGroupName: name } = group
  const at = path.child('podGroupName')
  if (name === undefined) return [fieldError.invalid(at, null, 'must specify one of: `podGroupName`')]
  return invalidEach(nameIsDNSSubdomain(name, false), name, at)
}
