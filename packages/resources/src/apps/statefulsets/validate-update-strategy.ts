import { appsV1 } from '@keelson/api/apps/v1'
import type { RollingUpdateStatefulSetStrategy, StatefulSetUpdateStrategy } from '@keelson/api/apps/v1'
import { fieldError, validateNonNegative } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct } from '@keelson/resources-core'
import { isZero, validateAtMostAll, validateIntOrPercent } from '../int-or-percent.ts'

export function validateUpdateStrategy(strategy: DeepReadonly<StatefulSetUpdateStrategy>, path: FieldPath): FieldErrorList {
  const { type = '', rollingUpdate } = strategy
  const at = path.child('rollingUpdate')
  switch (type) {
    case '':
      return [fieldError.required(path)]
    case 'RollingUpdate':
      return rollingUpdate === undefined ? [] : validateRollingUpdate(rollingUpdate, at)
    case 'OnDelete': {
      if (rollingUpdate === undefined) return []
      const printed = toInternalStruct(appsV1.table.resolve('RollingUpdateStatefulSetStrategy'), rollingUpdate)
      return [fieldError.invalid(at, printed, "only allowed for updateStrategy 'RollingUpdate'")]
    }
    default:
      return [
        fieldError.invalid(
          path,
          toInternalStruct(appsV1.table.resolve('StatefulSetUpdateStrategy'), strategy),
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ]
  }
}

function validateRollingUpdate(
  { partition = 0, maxUnavailable }: DeepReadonly<RollingUpdateStatefulSetStrategy>,
  path: FieldPath,
): FieldErrorList {
  const errors = validateNonNegative(partition, path.child('partition'))
  if (maxUnavailable === undefined) return errors
  const at = path.child('maxUnavailable')
  return [
    ...errors,
    ...validateIntOrPercent(maxUnavailable, at),
    ...(isZero(maxUnavailable) ? [fieldError.invalid(at, maxUnavailable, 'cannot be 0')] : []),
    ...validateAtMostAll(maxUnavailable, at),
  ]
}
