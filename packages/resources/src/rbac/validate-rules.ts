import type { PolicyRule } from '@keelson/api/rbac/v1'
import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'

export interface RuleScope {
  /** True for Role, whose rules must not contain non-resource URLs. */
  readonly namespaced: boolean
}

export function validatePolicyRules(rules: readonly DeepReadonly<PolicyRule>[], scope: RuleScope): FieldErrorList {
  return rules.flatMap((rule, i) => validatePolicyRule(rule, scope, newFieldPath('rules').index(i)))
}

function validatePolicyRule(rule: DeepReadonly<PolicyRule>, { namespaced }: RuleScope, path: FieldPath): FieldErrorList {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const errors: FieldErrorList = []
  if ((verbs ?? []).length === 0) errors.push(fieldError.required(path.child('verbs'), 'verbs must contain at least one value'))
  if (nonResourceURLs.length > 0) {
    const reportInvalid = (detail: string): void =>
      void errors.push(fieldError.invalid(path.child('nonResourceURLs'), nonResourceURLs, detail))
    if (namespaced) reportInvalid('namespaced rules cannot apply to non-resource URLs')
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      reportInvalid('rules cannot apply to both regular resources and non-resource URLs')
    }
    return errors
  }
  if (apiGroups.length === 0) errors.push(fieldError.required(path.child('apiGroups'), 'resource rules must supply at least one api group'))
  if (resources.length === 0) errors.push(fieldError.required(path.child('resources'), 'resource rules must supply at least one resource'))
  return errors
}
