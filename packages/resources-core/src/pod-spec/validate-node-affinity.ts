import type { NodeAffinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '@keelson/api/core/v1'
import { fieldError, isValidLabelValue, nameIsDNSSubdomain, validateLabelName } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors } from './field-rules.ts'

export interface NodeSelectorRules {
  readonly allowInvalidLabelValues: boolean
}

export function validateNodeAffinity(affinity: DeepReadonly<NodeAffinity>, rules: NodeSelectorRules, path: FieldPath): FieldErrorList {
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution
  const requiredPath = path.child('requiredDuringSchedulingIgnoredDuringExecution')
  const preferredPath = path.child('preferredDuringSchedulingIgnoredDuringExecution')
  const errors = required === undefined ? [] : validateNodeSelector(required, rules, requiredPath)
  for (const [i, term] of (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const at = preferredPath.index(i)
    errors.push(...validateWeight(term.weight, at.child('weight')))
    // Allows invalid label values in a preferred term, because a preference that no node matches is harmless. The client gets a warning.
    errors.push(...validateNodeSelectorTerm(term.preference ?? {}, { allowInvalidLabelValues: true }, at.child('preference')))
  }
  return errors
}

export function validateWeight(weight: number | undefined, path: FieldPath): FieldErrorList {
  const value = weight ?? 0
  return 1 <= value && value <= 100 ? [] : [fieldError.invalid(path, value, 'must be in the range 1-100')]
}

export function validateNodeSelector(selector: DeepReadonly<NodeSelector>, rules: NodeSelectorRules, path: FieldPath): FieldErrorList {
  const terms = selector.nodeSelectorTerms ?? []
  const at = path.child('nodeSelectorTerms')
  if (terms.length === 0) return [fieldError.required(at, 'must have at least one node selector term')]
  return terms.flatMap((term, i) => validateNodeSelectorTerm(term, rules, at.index(i)))
}

function validateNodeSelectorTerm(term: DeepReadonly<NodeSelectorTerm>, rules: NodeSelectorRules, path: FieldPath): FieldErrorList {
  return [
    ...(term.matchExpressions ?? []).flatMap((r, i) => validateExpression(r, rules, path.child('matchExpressions').index(i))),
    ...(term.matchFields ?? []).flatMap((r, i) => validateFieldMatch(r, path.child('matchFields').index(i))),
  ]
}

function validateExpression(
  { key = '', operator = '', values = [] }: DeepReadonly<NodeSelectorRequirement>,
  rules: NodeSelectorRules,
  path: FieldPath,
): FieldErrorList {
  const valuesPath = path.child('values')
  const errors = [...validateOperator(operator, values.length, path), ...validateLabelName(key, path.child('key'))]
  if (rules.allowInvalidLabelValues) return errors
  return [...errors, ...values.flatMap((value, i) => createInvalidErrors(isValidLabelValue(value), value, valuesPath.index(i)))]
}

function validateOperator(operator: string, count: number, path: FieldPath): FieldErrorList {
  const at = path.child('values')
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count === 0 ? [fieldError.required(at, "must be specified when `operator` is 'In' or 'NotIn'")] : []
    case 'Exists':
    case 'DoesNotExist':
      return count > 0 ? [fieldError.forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")] : []
    case 'Gt':
    case 'Lt':
      return count === 1 ? [] : [fieldError.required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")]
    default:
      return [fieldError.invalid(path.child('operator'), operator, 'not a valid selector operator')]
  }
}

/** Validates a node selector requirement for a field. `metadata.name` is the only supported field. */
function validateFieldMatch(
  { key = '', operator = '', values = [] }: DeepReadonly<NodeSelectorRequirement>,
  path: FieldPath,
): FieldErrorList {
  const errors: FieldErrorList = []
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(fieldError.invalid(path.child('operator'), operator, 'not a valid selector operator'))
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    errors.push(fieldError.required(path.child('values'), detail))
  }
  if (key !== 'metadata.name') return [...errors, fieldError.invalid(path.child('key'), key, 'not a valid field selector key')]
  return [
    ...errors,
    ...values.flatMap((value, i) => createInvalidErrors(nameIsDNSSubdomain(value, false), value, path.child('values').index(i))),
  ]
}
