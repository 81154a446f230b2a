import type { CapacityRequestPolicyRange, DeviceCapacity } from '@keelson/api/resource/v1'
import { fieldError, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, Quantity } from '@keelson/apimachinery'
import { validateSet } from '../lists.ts'

const maxValues = 10

/** How much of a device one claim may ask for, where several share it. */
export function validateCapacity({ value, requestPolicy }: DeepReadonly<DeviceCapacity>, shared: boolean, path: FieldPath): FieldErrorList {
  if (requestPolicy === undefined) return []
  const at = path.child('requestPolicy')
  if (!shared) return [fieldError.forbidden(at, 'allowMultipleAllocations must be true')]
  const { validValues = [], validRange, default: usual } = requestPolicy
  if (validValues.length > 0 && validRange !== undefined) {
    return [fieldError.forbidden(at, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')]
  }
  const whole = parseQuantity(value)
  const absent = usual === null || usual === undefined
  if (validValues.length > 0) {
    if (absent) return [fieldError.required(at.child('default'), 'required when validValues is defined')]
    return validateValues(validValues.map(parseQuantity), { whole, usual: parseQuantity(usual) }, at.child('validValues'))
  }
  if (validRange === undefined) return []
  if (absent) return [fieldError.required(at.child('default'), 'required when validRange is defined')]
  return validateRange(validRange, { whole, usual: parseQuantity(usual) }, at.child('validRange'))
}

interface Amounts {
  readonly whole: Quantity
  /** What is given to who does not say. */
  readonly usual: Quantity
}

function validateValues(values: readonly Quantity[], { whole, usual }: Amounts, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  for (const [i, value] of values.entries()) {
    if (i === 0 || values[i - 1]!.compare(value) <= 0) continue
    errors.push(fieldError.invalid(path.index(i), value.toString(), 'values must be sorted in ascending order'))
  }
  const rule = (value: Quantity, at: FieldPath): FieldErrorList =>
    value.compare(whole) > 0 ? [fieldError.invalid(at, value.toString(), `option is larger than capacity value: ${whole.toString()}`)] : []
  errors.push(...validateSet(values, { max: maxValues, rule, key: (value) => String(value.value()) }, path))
  if (!values.some((value) => value.compare(usual) === 0)) {
    errors.push(fieldError.invalid(path, usual.toString(), 'default value is not valid according to the requestPolicy'))
  }
  return errors
}

function validateRange(range: DeepReadonly<CapacityRequestPolicyRange>, { whole, usual }: Amounts, path: FieldPath): FieldErrorList {
  if (range.min === undefined) return [fieldError.required(path.child('min'), 'required when validRange is defined')]
  const errors: FieldErrorList = []
  const refuse = (is: boolean, member: string, value: Quantity, detail: string): void => {
    if (is) errors.push(fieldError.invalid(path.child(member), value.toString(), detail))
  }
  const min = parseQuantity(range.min)
  const max = range.max === undefined ? undefined : parseQuantity(range.max)
  const step = range.step === undefined ? undefined : parseQuantity(range.step)
  refuse(min.compare(whole) > 0, 'min', min, `min is larger than capacity value: ${whole.toString()}`)
  refuse(usual.compare(min) < 0, 'min', usual, `default is less than min: ${min.toString()}`)
  if (max !== undefined) {
    refuse(min.compare(max) > 0, 'max', min, `min is larger than max: ${max.toString()}`)
    refuse(max.compare(whole) > 0, 'max', max, `max is larger than capacity value: ${whole.toString()}`)
    refuse(usual.compare(max) > 0, 'max', usual, `default is more than max: ${max.toString()}`)
  }
  if (step === undefined) return errors
  const first = min.add(step)
  refuse(first.compare(whole) > 0, 'step', step, `one step ${first.toString()} is larger than capacity value: ${whole.toString()}`)
  for (const value of max === undefined ? [usual] : [usual, max]) {
    const off = step.value() === 0n || (value.value() - min.value()) % step.value() !== 0n
    refuse(off, 'step', value, `value is not a multiple of a given step (${step.toString()}) from (${min.toString()})`)
  }
  return errors
}
