import { coreV1 } from '@keelson/api/core/v1'
import type { Taint } from '@keelson/api/core/v1'
import { fieldError, isValidLabelValue, validateLabelName } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct } from '../internal-structs/to-internal-struct.ts'
import { validateRequiredOneOf } from '../pod-spec/field-rules.ts'

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

export function validateTaints(taints: readonly DeepReadonly<Taint>[], path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const visited = new Set<string>()
  for (const [i, taint] of taints.entries()) {
    const { key = '', value = '', effect = '' } = taint
    const at = path.index(i)
    errors.push(...validateLabelName(key, at.child('key')))
    const messages = isValidLabelValue(value)
    if (messages.length > 0) errors.push(fieldError.invalid(at.child('value'), value, messages.join(';')))
    errors.push(...validateRequiredOneOf(effect, effects, at.child('effect')))
    const pair = `${effect}/${key}`
    if (visited.has(pair)) {
      errors.push({
        ...fieldError.duplicate(at, toInternalStruct(coreV1.table.resolve('Taint'), taint)),
        detail: 'taints must be unique by key and effect pair',
      })
    }
    visited.add(pair)
  }
  return errors
}
