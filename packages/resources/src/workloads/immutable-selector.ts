import { fieldError, immutableMessage, equalsSemantically } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { printSelector } from './workload-selector.ts'
import type { ReadonlySelector } from './workload-selector.ts'

type Selector = ReadonlySelector | null | undefined

/** Rejects changes of a workload's selector. A changed selector would abandon the pods of the workload. */
export function validateImmutableSelector(selector: Selector, old: Selector, path: FieldPath): FieldErrorList {
  return equalsSemantically(selector ?? null, old ?? null) ? [] : [fieldError.invalid(path, printSelector(selector), immutableMessage)]
}
