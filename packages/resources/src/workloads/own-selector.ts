import { fieldError, isApiError, isValidLabelValue, labelSelectorAsSelector, validateLabelSelector } from '@keelson/apimachinery'
import type {
  DeepReadonly,
  FieldErrorList,
  FieldPath,
  LabelSelector,
  LabelSelectorRequirement,
  LabelsSelector,
} from '@keelson/apimachinery'

export type ReadonlySelector = DeepReadonly<LabelSelector>

/** The selector by which a workload finds its pods: it must be there, and select something. */
export function validateOwnSelector(selector: ReadonlySelector | null | undefined, path: FieldPath, what: string): FieldErrorList {
  if (selector === undefined || selector === null) return [fieldError.required(path)]
  const errors = validateLabelSelector(selector, path)
  if (isEmptySelector(selector)) errors.push(fieldError.invalid(path, printedSelector(selector), `empty selector is invalid for ${what}`))
  return errors
}

export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: ReadonlySelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0
}

/** undefined when it is no selector at all. An absent one selects nothing. */
export function parseSelector(selector: ReadonlySelector | null | undefined): LabelsSelector | undefined {
  try {
    return labelSelectorAsSelector(selector ?? undefined)
  } catch (error) {
    if (isApiError(error)) return undefined
    throw error
  }
}

/** As errors print it: members in the original's order, empty ones left out. */
export function printedSelector(selector: ReadonlySelector | null | undefined): unknown {
  if (selector === undefined || selector === null) return null
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  const expressions = (selector.matchExpressions ?? []).map(printedExpression)
  return {
    ...(labels.length > 0 && { matchLabels: Object.fromEntries(labels) }),
    ...(expressions.length > 0 && { matchExpressions: expressions }),
  }
}

function printedExpression({ key, operator, values = [] }: DeepReadonly<LabelSelectorRequirement>): object {
  return values.length > 0 ? { key, operator, values } : { key, operator }
}

/** What is stored with one may be written again. */
export function hasInvalidLabelValue(selector: ReadonlySelector | null | undefined): boolean {
  return (selector?.matchExpressions ?? []).some(({ values = [] }) => values.some((value) => isValidLabelValue(value).length > 0))
}
