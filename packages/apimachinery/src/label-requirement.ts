import { fieldError, newFieldPath } from './field-error.ts'
import type { FieldErrorList, FieldPath } from './field-error.ts'
import { parseInt64 } from './go-text.ts'
import { isQualifiedName, isValidLabelValue } from './name-format.ts'

/** Operator of a label requirement, spelled like upstream's `selection.Operator`. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

export const binaryOperators: readonly LabelOperator[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt']
const allOperators: readonly LabelOperator[] = [...binaryOperators, 'exists', '!']

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

export type Labels = Readonly<Record<string, string>>

/** Validates a requirement. `path` is the path of the requirement in the request's object, for error messages. */
export function checkRequirement(requirement: LabelRequirement, path?: FieldPath): FieldErrorList {
  const { key, operator, values } = requirement
  const at = path ?? newFieldPath()
  const valuesPath = at.child('values')
  const errors: FieldErrorList = [...checkKey(key, at.child('key'))]
  const complain = (detail: string): void => void errors.push(fieldError.invalid(valuesPath, values, detail))
  switch (operator) {
    case 'in':
    case 'notin':
      if (values.length === 0) complain("for 'in', 'notin' operators, values set can't be empty")
      break
    case '=':
    case '==':
    case '!=':
      if (values.length !== 1) complain('exact-match compatibility requires one single value')
      break
    case 'exists':
    case '!':
      if (values.length !== 0) complain('values set must be empty for exists and does not exist')
      break
    case 'gt':
    case 'lt':
      if (values.length !== 1) complain("for 'Gt', 'Lt' operators, exactly one value is required")
      values.forEach((value, i) => {
        if (parseInt64(value) !== undefined) return
        errors.push(fieldError.invalid(valuesPath.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer"))
      })
      break
    default:
      errors.push(fieldError.notSupported(at.child('operator'), operator, allOperators))
  }
  values.forEach((value, i) => {
    const messages = isValidLabelValue(value)
    if (messages.length > 0) errors.push(fieldError.invalid(valuesPath.index(i).key(key), value, messages.join('; ')))
  })
  return errors
}

export function checkKey(key: string, path: FieldPath | undefined): FieldErrorList {
  const messages = isQualifiedName(key)
  return messages.length === 0 ? [] : [fieldError.invalid(path, key, messages.join('; '))]
}

export function matchesRequirement(requirement: LabelRequirement, labels: Labels): boolean {
  const { key, operator, values } = requirement
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && hasValue(values, value)
    case 'notin':
    case '!=':
      return value === undefined || !hasValue(values, value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
    case 'lt':
      return value !== undefined && compareIntegers(value, operator, values)
  }
}

/** Maximum length of a list of values that is searched linearly. For longer lists, a hash lookup is faster. */
const maxLinearValues = 16
const manyValues = new WeakMap<readonly string[], ReadonlySet<string>>()

/**
 * Returns whether the list contains the value. Uses a set for a long list, because a selector can have 100,000 values and be tested on as many
 * objects.
 */
function hasValue(values: readonly string[], value: string): boolean {
  if (values.length <= maxLinearValues) return values.includes(value)
  let set = manyValues.get(values)
  if (set === undefined) manyValues.set(values, (set = new Set(values)))
  return set.has(value)
}

function compareIntegers(value: string, operator: 'gt' | 'lt', values: readonly string[]): boolean {
  const left = parseInt64(value)
  const right = values.length === 1 ? parseInt64(values[0]!) : undefined
  if (left === undefined || right === undefined) return false
  return operator === 'gt' ? left > right : left < right
}

const symbols: Readonly<Record<LabelOperator, string>> = {
  '=': '=',
  '==': '==',
  '!=': '!=',
  in: ' in ',
  notin: ' notin ',
  gt: '>',
  lt: '<',
  exists: '',
  '!': '',
}

export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key
  if (operator === '!') return `!${key}`
  const list = [...values].sort().join(',')
  return key + symbols[operator] + (operator === 'in' || operator === 'notin' ? `(${list})` : list)
}
