import type { CapacityRequestPolicyRange, DeviceCapacity } from '@keelson/api/resource/v1'
import { fieldError, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, Quantity } from '@keelson/apimachinery'
import { validateSet } from '../lists.ts'

const maxValues = 10

/** Validates the amounts of a shared device that a claim can request. */
export function validateCapacity(
  { value, requestPolicy }: DeepReadonly<DeviceCapacity>,
  isShared: boolean,
  path: FieldPath,
): FieldErrorList {
  if (requestPolicy === undefined) return []
  const at = path.child('requestPolicy')
  if (!isShared) return [fieldError.forbidden(at, 'allowMultipleAllocations must be true')]
  const { validValues = [], validRange, default: defaultValue } = requestPolicy
  if (validValues.length > 0 && validRange !== undefined) {
    return [fieldError.forbidden(at, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')]
  }
  const capacity = parseQuantity(value)
  const hasNoDefault = defaultValue === null || defaultValue === undefined
  if (validValues.length > 0) {
    if (hasNoDefault) return [fieldError.required(at.child('default'), 'required when validValues is defined')]
    return validateValues(validValues.map(parseQuantity), { capacity, defaultValue: parseQuantity(defaultValue) }, at.child('validValues'))
  }
  if (validRange === undefined) return []
  if (hasNoDefault) return [fieldError.required(at.child('default'), 'required when validRange is defined')]
  return validateRange(validRange, { capacity, defaultValue: parseQuantity(defaultValue) }, at.child('validRange'))
}

interface Amounts {
  readonly capacity: Quantity
  /** Amount for claims without a requested amount. */
  readonly defaultValue: Quantity
}

function validateValues(values: readonly Quantity[], { capacity, defaultValue }: Amounts, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  for (const [i, value] of values.entries()) {
    if (i === 0 || values[i - 1]!.compare(value) <= 0) continue
    errors.push(fieldError.invalid(path.index(i), value.toString(), 'values must be sorted in ascending order'))
  }
  const validateWithinCapacity = (value: Quantity, at: FieldPath): FieldErrorList =>
    value.compare(capacity) > 0
      ? [fieldError.invalid(at, value.toString(), `option is larger than capacity value: ${capacity.toString()}`)]
      : []
  errors.push(...validateSet(values, { max: maxValues, rule: validateWithinCapacity, key: (value) => String(value.value()) }, path))
  if (!values.some((value) => value.compare(defaultValue) === 0)) {
    errors.push(fieldError.invalid(path, defaultValue.toString(), 'default value is not valid according to the requestPolicy'))
  }
  return errors
}

function validateRange(
  range: DeepReadonly<CapacityRequestPolicyRange>,
  { capacity, defaultValue }: Amounts,
  path: FieldPath,
): FieldErrorList {
  if (range.min === undefined) return [fieldError.required(path.child('min'), 'required when validRange is defined')]
  const errors: FieldErrorList = []
  const refuseIf = (condition: boolean, member: string, value: Quantity, detail: string): void => {
    if (condition) errors.push(fieldError.invalid(path.child(member), value.toString(), detail))
  }
  const min = parseQuantity(range.min)
  const max = range.max === undefined ? undefined : parseQuantity(range.max)
  const step = range.step === undefined ? undefined : parseQuantity(range.step)
  refuseIf(min.compare(capacity) > 0, 'min', min, `min is larger than capacity value: ${capacity.toString()}`)
  refuseIf(defaultValue.compare(min) < 0, 'min', defaultValue, `default is less than min: ${min.toString()}`)
  if (max !== undefined) {
    refuseIf(min.compare(max) > 0, 'max', min, `min is larger than max: ${max.toString()}`)
    refuseIf(max.compare(capacity) > 0, 'max', max, `max is larger than capacity value: ${capacity.toString()}`)
    refuseIf(defaultValue.compare(max) > 0, 'max', defaultValue, `default is more than max: ${max.toString()}`)
  }
  if (step === undefined) return errors
  const first = min.add(step)
  refuseIf(first.compare(capacity) > 0, 'step', step, `one step ${first.toString()} is larger than capacity value: ${capacity.toString()}`)
  for (const value of max === undefined ? [defaultValue] : [defaultValue, max]) {
    const isOffStep = step.value() === 0n || (value.value() - min.value()) % step.value() !== 0n
    refuseIf(isOffStep, 'step', value, `value is not a multiple of a given step (${step.toString()}) from (${min.toString()})`)
  }
  return errors
}
