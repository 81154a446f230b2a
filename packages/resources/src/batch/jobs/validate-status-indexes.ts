import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { findFirstOverlap, parseIndexes } from './index-intervals.ts'
import type { ReadonlyJob, StatusChanges } from './status-changes.ts'

/** Validates the lists of completed and failed indexes. */
export function validateStatusIndexes({ spec, status = {} }: ReadonlyJob, changes: StatusChanges, path: FieldPath): FieldErrorList {
  const { completedIndexes: completed = '', failedIndexes: failed } = status
  const { completions, backoffLimitPerIndex, completionMode } = spec ?? {}
  const [completedPath, failedPath] = [path.child('completedIndexes'), path.child('failedIndexes')]
  const errors: FieldErrorList = []
  const checkFormat = (text: string, at: FieldPath, name: string): void => {
    if (completions === undefined) return
    const parsed = parseIndexes(text, completions)
    if ('error' in parsed) errors.push(fieldError.invalid(at, text, `error parsing ${name}: ${parsed.error}`))
  }
  if (changes.completedIndexes) checkFormat(completed, completedPath, 'completedIndexes')
  if (changes.failedIndexes && backoffLimitPerIndex !== undefined && failed !== undefined) checkFormat(failed, failedPath, 'failedIndexes')
  if (changes.completedIndexes && completed !== '' && completionMode !== 'Indexed') {
    const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode'
    errors.push(fieldError.invalid(completedPath, completed, detail))
  }
  if (failed === undefined) return errors
  if (changes.failedIndexes && backoffLimitPerIndex === undefined) {
    errors.push(fieldError.invalid(failedPath, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'))
  }
  if ((changes.failedIndexes || changes.completedIndexes) && completions !== undefined) {
    const index = findFirstOverlap(completed, failed, completions)
    if (index !== undefined) {
      errors.push(fieldError.invalid(failedPath, failed, `failedIndexes and completedIndexes overlap at index: ${index}`))
    }
  }
  return errors
}
