import { isApiError, labelSelectorAsSelector } from '@keelson/apimachinery'
import type { DeepReadonly, LabelSelector } from '@keelson/apimachinery'

/** Formats a selector for tables, like "a=1,b in (2,3)". */
export function formatLabelSelector(selector: DeepReadonly<LabelSelector> | undefined): string {
  try {
    return labelSelectorAsSelector(selector).toString() || '<none>'
  } catch (error) {
    if (isApiError(error)) return '<error>'
    throw error
  }
}
