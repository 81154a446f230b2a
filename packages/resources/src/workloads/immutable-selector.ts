import { fieldError, immutableMessage, semanticEqual } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { printedSelector } from './own-selector.ts'
import type { ReadonlySelector } from './own-selector.ts'

type Selector = ReadonlySelector | null | undefined

/** What a workload finds its pods by is for ever: else it would lose those it has. */
export function validateImmutableSelector(selector: Selector, old: Selector, path: FieldPath): FieldErrorList {
  return semanticEqual(selector ?? null, old ?? null) ? [] : [fieldError.invalid(path, printedSelector(selector), immutableMessage)]
}
