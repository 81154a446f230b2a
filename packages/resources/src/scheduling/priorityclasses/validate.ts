import type { PriorityClass } from '@keelson/api/scheduling/v1'
import { fieldError, newFieldPath, validateImmutableField } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { validateRequiredOneOf } from '@keelson/resources-core'
import { highestUserDefinablePriority, systemPriorityClasses, systemPriorityClassPrefix } from './system-classes.ts'

type ReadonlyClass = DeepReadonly<PriorityClass>

const valuePath = newFieldPath('value')
const policyPath = newFieldPath('preemptionPolicy')
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
    const difference = describeSystemClassDifference(priorityClass)
    const detail = `priority class names with '${systemPriorityClassPrefix}' prefix are reserved for system use only. error: ${difference}`
    return difference === undefined ? [] : [fieldError.forbidden(newFieldPath('metadata', 'name'), detail)]
  }
  return priorityClass.value > highestUserDefinablePriority
    ? [fieldError.forbidden(valuePath, `maximum allowed value of a user defined priority is ${highestUserDefinablePriority}`)]
    : []
}

/** Returns the difference between a class named "system-…" and the built-in class; undefined if they are identical, which is allowed. */
function describeSystemClassDifference({ metadata: { name = '' }, value, globalDefault = false }: ReadonlyClass): string | undefined {
  const systemClass = systemPriorityClasses.find((candidate) => candidate.metadata.name === name)
  if (systemClass === undefined) return `${name} is not a known system priority class`
  if (systemClass.value !== value) return `value of ${name} PriorityClass must be ${systemClass.value}`
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}
