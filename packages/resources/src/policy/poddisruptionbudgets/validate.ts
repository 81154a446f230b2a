import { policyV1 } from '@keelson/api/policy/v1'
import type { PodDisruptionBudget } from '@keelson/api/policy/v1'
import {
  fieldError,
  newFieldPath,
  isValidPercent,
  parsePercent,
  validateConditions,
  validateLabelSelector,
  validateNonNegative,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, IntOrString } from '@keelson/apimachinery'
import { toInternalStruct, createInvalidErrors, validateSupported } from '@keelson/resources-core'

type ReadonlyBudget = DeepReadonly<PodDisruptionBudget>

const specPath = newFieldPath('spec')
const statusPath = newFieldPath('status')
const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget']

export function validateBudget({ spec = {} }: ReadonlyBudget, allowInvalidValues = false): FieldErrorList {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec
  const hasBoth = minAvailable !== undefined && maxUnavailable !== undefined
  return [
    ...(hasBoth
      ? [
          fieldError.invalid(
            specPath,
            toInternalStruct(policyV1.table.resolve('PodDisruptionBudgetSpec'), spec),
            'minAvailable and maxUnavailable cannot be both set',
          ),
        ]
      : []),
    ...validateAmount(minAvailable, specPath.child('minAvailable')),
    ...validateAmount(maxUnavailable, specPath.child('maxUnavailable')),
    ...validateLabelSelector(selector, specPath.child('selector'), { allowInvalidLabelValue: allowInvalidValues }),
    ...validateSupported(unhealthyPodEvictionPolicy, evictionPolicies, specPath.child('unhealthyPodEvictionPolicy')),
  ]
}

/** Validates an update of a budget. A selector with invalid stored values stays valid (ratcheting). */
export function validateBudgetUpdate(budget: ReadonlyBudget, old: ReadonlyBudget): FieldErrorList {
  return validateBudget(budget, validateLabelSelector(old.spec?.selector, newFieldPath()).length > 0)
}

export function validateBudgetStatus({ status }: ReadonlyBudget): FieldErrorList {
  const { conditions, disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = status ?? {}
  return [
    ...validateConditions(conditions, statusPath.child('conditions')),
    ...validateNonNegative(disruptionsAllowed, statusPath.child('disruptionsAllowed')),
    ...validateNonNegative(currentHealthy, statusPath.child('currentHealthy')),
    ...validateNonNegative(desiredHealthy, statusPath.child('desiredHealthy')),
    ...validateNonNegative(expectedPods, statusPath.child('expectedPods')),
  ]
}

function validateAmount(value: IntOrString | undefined, path: FieldPath): FieldErrorList {
  if (value === undefined) return []
  if (typeof value === 'number') return validateNonNegative(value, path)
  if ((parsePercent(value) ?? 0) > 100) return [fieldError.invalid(path, value, 'must not be greater than 100%')]
  return createInvalidErrors(isValidPercent(value), value, path)
}
