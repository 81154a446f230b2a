import { isApiError, labelSelectorAsSelector } from '@keelson/apimachinery'
import type { DeepReadonly, LabelSelector } from '@keelson/apimachinery'

/** As tables show selectors of any form: "a=1,b in (2,3)". */
export function labelSelectorText(selector: DeepReadonly<LabelSelector> | undefined): string {
  try {
    return labelSelectorAsSelector(selector).toString() || '<none>'
  } catch (error) {
    if (isApiError(error)) return '<error>'
    throw error
  }
}
