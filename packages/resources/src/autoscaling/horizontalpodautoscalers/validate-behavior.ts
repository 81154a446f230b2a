import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy, HPAScalingRules } from '@keelson/api/autoscaling/v2'
import { fieldError, notNegativeMessage, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateSupported } from '@keelson/resources-core'

const maxPeriodSeconds = 1800
const maxWindowSeconds = 3600

/** Validates the scaling policies, which limit the speed of scaling. */
export function validateBehavior({ scaleUp, scaleDown }: DeepReadonly<HorizontalPodAutoscalerBehavior>, path: FieldPath): FieldErrorList {
  return Object.entries({ scaleUp, scaleDown }).flatMap(([member, rules]) =>
    rules === undefined ? [] : validateRules(rules, path.child(member)),
  )
}

function validateRules(rules: DeepReadonly<HPAScalingRules>, path: FieldPath): FieldErrorList {
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules
  const windowPath = path.child('stabilizationWindowSeconds')
  const policiesPath = path.child('policies')
  return [
    ...(window < 0 ? [fieldError.invalid(windowPath, window, 'must be greater than or equal to zero')] : []),
    ...(window > maxWindowSeconds ? [fieldError.invalid(windowPath, window, `must be less than or equal to ${maxWindowSeconds}`)] : []),
    ...validateSupported(selectPolicy, ['Disabled', 'Max', 'Min'], path.child('selectPolicy')),
    ...(policies.length === 0 ? [fieldError.required(policiesPath, 'must specify at least one Policy')] : []),
    ...policies.flatMap((policy, i) => validatePolicy(policy, policiesPath.index(i))),
    ...(tolerance !== undefined && parseQuantity(tolerance).sign() < 0
      ? [fieldError.invalid(path.child('tolerance'), tolerance, notNegativeMessage)]
      : []),
  ]
}

function validatePolicy({ type = '', value = 0, periodSeconds = 0 }: DeepReadonly<HPAScalingPolicy>, path: FieldPath): FieldErrorList {
  const errors = validateSupported(type, ['Percent', 'Pods'], path.child('type'))
  if (value <= 0) errors.push(fieldError.invalid(path.child('value'), value, 'must be greater than zero'))
  const at = path.child('periodSeconds')
  if (periodSeconds <= 0) errors.push(fieldError.invalid(at, periodSeconds, 'must be greater than zero'))
  if (periodSeconds > maxPeriodSeconds)
    errors.push(fieldError.invalid(at, periodSeconds, `must be less than or equal to ${maxPeriodSeconds}`))
  return errors
}
