import type { ClusterRole } from '@keelson/api/rbac/v1'
import { fieldError, newFieldPath, isApiError, labelSelectorAsSelector, validateLabelSelector } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, LabelSelector } from '@keelson/apimachinery'
import { validatePolicyRules } from '../validate-rules.ts'

type ReadonlyRole = DeepReadonly<ClusterRole>

const selectorsPath = newFieldPath('aggregationRule', 'clusterRoleSelectors')

export function validateClusterRole(role: ReadonlyRole): FieldErrorList {
  return validate(role, false)
}

export function validateClusterRoleUpdate(role: ReadonlyRole, old: ReadonlyRole): FieldErrorList {
  const stored = old.aggregationRule?.clusterRoleSelectors ?? []
  return validate(
    role,
    stored.some((selector) => validateLabelSelector(selector, newFieldPath()).length > 0),
  )
}

function validate({ rules, aggregationRule }: ReadonlyRole, allowInvalidLabelValue: boolean): FieldErrorList {
  const errors = validatePolicyRules(rules ?? [], { namespaced: false })
  if (aggregationRule === undefined) return errors
  const selectors = aggregationRule.clusterRoleSelectors ?? []
  if (selectors.length === 0) {
    errors.push(fieldError.required(selectorsPath, 'at least one clusterRoleSelector required if aggregationRule is non-nil'))
  }
  selectors.forEach((selector, i) => errors.push(...validateSelector(selector, i, allowInvalidLabelValue)))
  return errors
}

function validateSelector(selector: DeepReadonly<LabelSelector>, i: number, allowInvalidLabelValue: boolean): FieldErrorList {
  const path = selectorsPath.index(i)
  const errors = validateLabelSelector(selector, path, { allowInvalidLabelValue })
  // kube-apiserver prints the nil result of the failed conversion.
  return isLabelSelector(selector) ? errors : [...errors, fieldError.invalid(path, null, 'invalid label selector.')]
}

function isLabelSelector(selector: DeepReadonly<LabelSelector>): boolean {
  try {
    labelSelectorAsSelector(selector)
    return true
  } catch (error) {
    if (isApiError(error)) return false
    throw error
  }
}
