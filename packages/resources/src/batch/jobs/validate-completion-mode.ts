import type { JobSpec } from '@keelson/api/batch/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'

/** Maximum parallelism of an indexed job, which keeps the index lists in its status small. */
const maxParallelism = 100_000
const maxFailed = 100_000
const manyCompletions = 100_000
const maxParallelismOfMany = 10_000
const maxFailedOfMany = 10_000

type ReadonlySpec = DeepReadonly<JobSpec>

export function validateCompletionMode(spec: ReadonlySpec, path: FieldPath): FieldErrorList {
  const { completionMode: mode, backoffLimitPerIndex, maxFailedIndexes } = spec
  if (mode === 'Indexed') return validateIndexed(spec, path)
  if (mode !== undefined && mode !== 'NonIndexed') {
    return [fieldError.notSupported(path.child('completionMode'), mode, ['NonIndexed', 'Indexed'])]
  }
  return Object.entries({ backoffLimitPerIndex, maxFailedIndexes }).flatMap(([member, value]) =>
    value === undefined ? [] : [fieldError.invalid(path.child(member), value, 'requires indexed completion mode')],
  )
}

function validateIndexed(spec: ReadonlySpec, path: FieldPath): FieldErrorList {
  const { completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec
  const [parallelismPath, failedPath] = [path.child('parallelism'), path.child('maxFailedIndexes')]
  const failed = maxFailedIndexes ?? 0
  const errors = completions === undefined ? [fieldError.required(path.child('completions'), 'when completion mode is Indexed')] : []
  const requireAtMost = (limit: number, value: number, at: FieldPath, condition = ''): void => {
    if (value > limit) errors.push(fieldError.invalid(at, value, `must be less than or equal to ${limit}${condition}`))
  }
  requireAtMost(maxParallelism, parallelism, parallelismPath, ' when completion mode is Indexed')
  if (completions !== undefined && failed > completions) {
    errors.push(fieldError.invalid(failedPath, failed, 'must be less than or equal to completions'))
  }
  requireAtMost(maxFailed, failed, failedPath)
  if (completions !== undefined && completions > manyCompletions && backoffLimitPerIndex !== undefined) {
    if (maxFailedIndexes === undefined) {
      errors.push(fieldError.required(failedPath, `must be specified when completions is above ${manyCompletions}`))
    }
    const condition = ` when completions are above ${manyCompletions} and used with backoff limit per index`
    requireAtMost(maxParallelismOfMany, parallelism, parallelismPath, condition)
    requireAtMost(maxFailedOfMany, failed, failedPath, condition)
  }
  return errors
}
