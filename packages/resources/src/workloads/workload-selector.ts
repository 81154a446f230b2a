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

/** Validates the selector of a workload, which must not be empty. `kind` is the workload's kind for messages. */
export function validateWorkloadSelector(selector: ReadonlySelector | null | undefined, path: FieldPath, kind: string): FieldErrorList {
  if (selector === undefined || selector === null) return [fieldError.required(path)]
  const errors = validateLabelSelector(selector, path)
  if (isEmptySelector(selector)) errors.push(fieldError.invalid(path, printSelector(selector), `empty selector is invalid for ${kind}`))
  return errors
}

export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: ReadonlySelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0
}

/** Parses a selector. Returns undefined if it is invalid. A missing selector matches nothing. */
export function parseSelector(selector: ReadonlySelector | null | undefined): LabelsSelector | undefined {
  try {
    return labelSelectorAsSelector(selector ?? undefined)
  } catch (error) {
    if (isApiError(error)) return undefined
    throw error
  }
}

/** Prints a selector for error messages, with fields in upstream's order and without empty fields. */
export function printSelector(selector: ReadonlySelector | null | undefined): unknown {
  if (selector === undefined || selector === null) return null
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  const expressions = (selector.matchExpressions ?? []).map(printExpression)
  return {
    ...(labels.length > 0 && { matchLabels: Object.fromEntries(labels) }),
    ...(expressions.length > 0 && { matchExpressions: expressions }),
  }
}

function printExpression({ key, operator, values = [] }: DeepReadonly<LabelSelectorRequirement>): object {
  return values.length > 0 ? { key, operator, values } : { key, operator }
}

/** Returns whether the stored selector has an invalid label value. Updates can then keep it. */
export function hasInvalidLabelValue(selector: ReadonlySelector | null | undefined): boolean {
  return (selector?.matchExpressions ?? []).some(({ values = [] }) => values.some((value) => isValidLabelValue(value).length > 0))
}
