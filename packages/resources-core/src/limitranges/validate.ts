import type { LimitRange, LimitRangeItem } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, isQualifiedName, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, Quantity } from '@keelson/apimachinery'
import { createInvalidErrors } from '../pod-spec/field-rules.ts'
import { isOvercommitAllowed } from '../pod-spec/resource-names.ts'
import { validateContainerResourceName, validateResourceName } from '../pod-spec/validate-resources.ts'

type Item = DeepReadonly<LimitRangeItem>
type ListName = 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio'

const standardTypes: ReadonlySet<string> = new Set(['Container', 'PersistentVolumeClaim', 'Pod'])
/**
 * Largest quantity that is compared in thousandths. Like upstream, compares larger quantities as integers, because their thousandths
 * overflow an int64.
 */
const maxMilliValue = (2n ** 63n - 1n) / 1000n
const quantity = parseQuantity('1')

export function validateLimitRange({ spec }: DeepReadonly<LimitRange>): FieldErrorList {
  const visited = new Set<string>()
  return (spec?.limits ?? []).flatMap((item, i) => {
    const path = newFieldPath('spec', 'limits').index(i)
    const errors = validateType(item.type, path.child('type'))
    if (visited.has(item.type)) errors.push(fieldError.duplicate(path.child('type'), item.type))
    visited.add(item.type)
    return errors.concat(validateItem(item, path))
  })
}

function validateType(type: string, path: FieldPath): FieldErrorList {
  const errors = createInvalidErrors(isQualifiedName(type), type, path)
  if (errors.length > 0 || type.includes('/') || standardTypes.has(type)) return errors
  return [fieldError.invalid(path, type, 'must be a standard limit type or fully qualified')]
}

function validateItem(item: Item, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const names = new Set<string>()
  const check = (list: ListName): void => {
    for (const name of Object.keys(item[list] ?? {})) {
      names.add(name)
      const rule = item.type === 'Pod' || item.type === 'Container' ? validateContainerResourceName : validateResourceName
      errors.push(...rule(name, path.child(list).key(name)))
    }
  }
  check('max')
  check('min')
  for (const list of ['default', 'defaultRequest'] as const) {
    if (item.type !== 'Pod') check(list)
    else if (Object.keys(item[list] ?? {}).length > 0) {
      errors.push(fieldError.forbidden(path.child(list), "may not be specified when `type` is 'Pod'"))
    }
  }
  if (item.type === 'PersistentVolumeClaim' && item.min?.['storage'] === undefined && item.max?.['storage'] === undefined) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided'
    errors.push(fieldError.required(path.child('limits'), detail))
  }
  check('maxLimitRequestRatio')
  return [...errors, ...[...names].flatMap((name) => validateAmounts(name, item, path))]
}

/** Validates that minimum, maximum, defaults and ratio of one resource are consistent. */
function validateAmounts(name: string, item: Item, path: FieldPath): FieldErrorList {
  const parseAmount = (list: ListName): Quantity | undefined => {
    const text = item[list]?.[name]
    return text === undefined ? undefined : parseQuantity(text)
  }
  const min = parseAmount('min')
  const max = parseAmount('max')
  const defaultLimit = item.type === 'Pod' ? undefined : parseAmount('default')
  const request = item.type === 'Pod' ? undefined : parseAmount('defaultRequest')
  const errors: FieldErrorList = []
  const requireOrder = (
    low: readonly [string, Quantity | undefined],
    high: readonly [string, Quantity | undefined],
    blamed: readonly [ListName, Quantity | undefined],
  ): void => {
    if (low[1] === undefined || high[1] === undefined || low[1].compare(high[1]) <= 0) return
    const detail = `${low[0]} value ${low[1]} is greater than ${high[0]} value ${high[1]}`
    errors.push(fieldError.invalid(path.child(blamed[0]).key(name), String(blamed[1]), detail))
  }
  requireOrder(['min', min], ['max', max], ['min', min])
  requireOrder(['min', min], ['default request', request], ['defaultRequest', request])
  requireOrder(['default request', request], ['max', max], ['defaultRequest', request])
  requireOrder(['default request', request], ['default limit', defaultLimit], ['defaultRequest', request])
  requireOrder(['min', min], ['default', defaultLimit], ['default', min])
  requireOrder(['default', defaultLimit], ['max', max], ['default', max])
  errors.push(...validateRatio(parseAmount('maxLimitRequestRatio'), { min, max }, path.child('maxLimitRequestRatio').key(name)))
  if (!isOvercommitAllowed(name) && defaultLimit !== undefined && request !== undefined && !defaultLimit.equals(request)) {
    const detail = `default value ${defaultLimit} must equal to defaultRequest value ${request} in ${name}`
    errors.push(fieldError.invalid(path.child('defaultRequest').key(name), request.toString(), detail))
  }
  return errors
}

interface Bounds {
  readonly min: Quantity | undefined
  readonly max: Quantity | undefined
}

function validateRatio(ratio: Quantity | undefined, { min, max }: Bounds, path: FieldPath): FieldErrorList {
  if (ratio === undefined) return []
  const errors: FieldErrorList = []
  const text = ratio.toString()
  if (ratio.compare(quantity) < 0) errors.push(fieldError.invalid(path, text, `ratio ${text} is less than 1`))
  if (min === undefined || max === undefined) return errors
  const fitsMilli = [ratio, min, max].every((quantity) => quantity.value() < maxMilliValue)
  const value = fitsMilli ? Number(ratio.milliValue()) / 1000 : Number(ratio.value())
  const limit = fitsMilli ? Number(max.milliValue()) / Number(min.milliValue()) : Number(max.value()) / Number(min.value())
  if (value > limit) errors.push(fieldError.invalid(path, text, `ratio ${text} is greater than max/min = ${goFloat(limit)}`))
  return errors
}

function goFloat(value: number): string {
  if (Number.isFinite(value)) return value.toFixed(6)
  return value > 0 ? '+Inf' : '-Inf'
}
