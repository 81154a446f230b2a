import type { PriorityClass } from '@keelson/api/scheduling/v1'
import { fieldError, fieldPath, validateImmutableField } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { validateRequiredOneOf } from '@keelson/resources-core'
import { highestUserDefinablePriority, systemPriorityClasses, systemPriorityClassPrefix } from './system-classes.ts'

type ReadonlyClass = DeepReadonly<PriorityClass>

const valuePath = fieldPath('value')
const policyPath = fieldPath('preemptionPolicy')
const preemptionPolicies = ['PreemptLowerPriority', 'Never']

export function validatePriorityClass(priorityClass: ReadonlyClass): FieldErrorList {
  const { preemptionPolicy } = priorityClass
  return [
    ...validateValue(priorityClass),
    ...(preemptionPolicy === undefined ? [] : validateRequiredOneOf(preemptionPolicy, preemptionPolicies, policyPath)),
  ]
}

export function validatePriorityClassUpdate(priorityClass: ReadonlyClass, old: ReadonlyClass): FieldErrorList {
  return [
    ...(priorityClass.value === old.value ? [] : [fieldError.forbidden(valuePath, 'may not be changed in an update.')]),
    ...validateImmutableField(priorityClass.preemptionPolicy, old.preemptionPolicy, policyPath),
  ]
}

function validateValue(priorityClass: ReadonlyClass): FieldErrorList {
  if ((priorityClass.metadata.name ?? '').startsWith(systemPriorityClassPrefix)) {
    const complaint = differenceFromSystemClass(priorityClass)
    const detail = `priority class names with '${systemPriorityClassPrefix}' prefix are reserved for system use only. error: ${complaint}`
    return complaint === undefined ? [] : [fieldError.forbidden(fieldPath('metadata', 'name'), detail)]
  }
  return priorityClass.value > highestUserDefinablePriority
    ? [fieldError.forbidden(valuePath, `maximum allowed value of a user defined priority is ${highestUserDefinablePriority}`)]
    : []
}

/** A system class may be made by anybody, if it is what the system would make. */
function differenceFromSystemClass({ metadata: { name = '' }, value, globalDefault = false }: ReadonlyClass): string | undefined {
  const known = systemPriorityClasses.find((one) => one.metadata.name === name)
  if (known === undefined) return `${name} is not a known system priority class`
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}
