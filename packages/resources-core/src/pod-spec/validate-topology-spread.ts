import type { TopologySpreadConstraint } from '@keelson/api/core/v1'
import { fieldError, validateLabelName, validateLabelSelector } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, LabelSelector } from '@keelson/apimachinery'
import { validateRequired, validateSupported } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

type Constraint = DeepReadonly<TopologySpreadConstraint>

const whenUnsatisfiable = ['DoNotSchedule', 'ScheduleAnyway']
const nodePolicies = ['Honor', 'Ignore']

export function validateTopologySpread(spec: ReadonlyPodSpec, rules: PodRules, path: FieldPath): FieldErrorList {
  const { topologySpreadConstraints: constraints } = spec
  return constraints === undefined ? [] : validateConstraints(constraints, rules, path.child('topologySpreadConstraints'))
}

function validateConstraints(constraints: readonly Constraint[], rules: PodRules, path: FieldPath): FieldErrorList {
  const lastIndexes = new Map(constraints.map((constraint, i) => [formatPair(constraint), i]))
  return constraints.flatMap((constraint, i) => {
    const at = path.index(i)
    const { topologyKey = '', whenUnsatisfiable: action = '' } = constraint
    const errors = [
      ...validatePositive(constraint.maxSkew ?? 0, at.child('maxSkew')),
      ...validateRequired(topologyKey, at, 'topologyKey', 'can not be empty'),
      ...validateSupported(action, whenUnsatisfiable, at.child('whenUnsatisfiable')),
    ]
    if (lastIndexes.get(formatPair(constraint)) !== i) {
      errors.push(fieldError.duplicate(at.child('{topologyKey, whenUnsatisfiable}'), formatPair(constraint)))
    }
    return [
      ...errors,
      ...validateMinDomains(constraint, at.child('minDomains')),
      ...validateSupported(constraint.nodeAffinityPolicy, nodePolicies, at.child('nodeAffinityPolicy')),
      ...validateSupported(constraint.nodeTaintsPolicy, nodePolicies, at.child('nodeTaintsPolicy')),
      ...(rules.allowInvalidSpreadLabelKeys
        ? validateUnmergedLabelKeys(constraint, at.child('matchLabelKeys'))
        : validateLabelKeys(constraint, at)),
      ...(rules.allowInvalidSpreadSelectors ? [] : validateLabelSelector(constraint.labelSelector, at.child('labelSelector'))),
    ]
  })
}

function formatPair({ topologyKey = '', whenUnsatisfiable: action = '' }: Constraint): string {
  return `{${topologyKey}, ${action}}`
}

function validatePositive(value: number, path: FieldPath): FieldErrorList {
  return value > 0 ? [] : [fieldError.invalid(path, value, 'must be greater than zero')]
}

function validateMinDomains({ minDomains, whenUnsatisfiable: action }: Constraint, path: FieldPath): FieldErrorList {
  if (minDomains === undefined) return []
  const errors = validatePositive(minDomains, path)
  if (action === 'DoNotSchedule') return errors
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action ?? ''}`
  return [...errors, fieldError.invalid(path, minDomains, detail)]
}

export interface LabelKeyed {
  readonly matchLabelKeys?: readonly string[]
  readonly mismatchLabelKeys?: readonly string[]
  readonly labelSelector?: DeepReadonly<LabelSelector>
}

/**
 * Validates `matchLabelKeys` of a term. The server has already added one requirement per key to the selector. A second requirement for a
 * key was sent by the client and is rejected.
 */
export function validateLabelKeys(term: LabelKeyed, path: FieldPath): FieldErrorList {
  const { matchLabelKeys: match = [], mismatchLabelKeys: mismatch = [], labelSelector: selector } = term
  const errors = [
    ...validateKeys(match, selector, path.child('matchLabelKeys')),
    ...validateKeys(mismatch, selector, path.child('mismatchLabelKeys')),
  ]
  const lastOf = new Map(match.map((key, i) => [key, i]))
  const visited = new Set(Object.keys(selector?.matchLabels ?? {}))
  for (const { key } of selector?.matchExpressions ?? []) {
    const i = lastOf.get(key)
    if (i !== undefined && visited.has(key))
      errors.push(fieldError.invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'))
    visited.add(key)
  }
  const mismatched = new Set(mismatch)
  for (const [i, key] of match.entries()) {
    if (!mismatched.has(key)) continue
    errors.push(fieldError.invalid(path.child('matchLabelKeys').index(i), key, 'exists in both matchLabelKeys and mismatchLabelKeys'))
  }
  return errors
}

function validateKeys(keys: readonly string[], selector: LabelKeyed['labelSelector'], path: FieldPath): FieldErrorList {
  if (keys.length === 0) return []
  if (selector === undefined) return [fieldError.forbidden(path, 'must not be specified when labelSelector is not set')]
  return keys.flatMap((key, i) => validateLabelName(key, path.index(i)))
}

/** Validates `matchLabelKeys` of a constraint from older servers, which did not add the keys to the selector. */
function validateUnmergedLabelKeys({ matchLabelKeys: keys = [], labelSelector: selector }: Constraint, path: FieldPath): FieldErrorList {
  if (keys.length === 0) return []
  const errors = selector === undefined ? [fieldError.forbidden(path, 'must not be specified when labelSelector is not set')] : []
  const used = new Set([...Object.keys(selector?.matchLabels ?? {}), ...(selector?.matchExpressions ?? []).map(({ key }) => key)])
  for (const [i, key] of keys.entries()) {
    errors.push(...validateLabelName(key, path.index(i)))
    if (used.has(key)) errors.push(fieldError.invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'))
  }
  return errors
}
