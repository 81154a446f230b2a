import type { JobSpec, SuccessPolicyRule } from '@keelson/api/batch/v1'
import { fieldError, validateNonNegative } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { parseIndexes } from './index-intervals.ts'

const maxRules = 20
const maxIndexesLength = 64 * 1024

/** Validates the policy that completes a job before all of its pods have succeeded. */
export function validateSuccessPolicy({ successPolicy, completions = 0 }: DeepReadonly<JobSpec>, path: FieldPath): FieldErrorList {
  const rules = successPolicy?.rules ?? []
  const at = path.child('rules')
  const errors =
    rules.length === 0 ? [fieldError.required(at, 'at least one rules must be specified when the successPolicy is specified')] : []
  if (rules.length > maxRules) errors.push(fieldError.tooMany(at, rules.length, maxRules))
  return [...errors, ...rules.flatMap((rule, i) => validateRule(rule, completions, at.index(i)))]
}

function validateRule(
  { succeededIndexes, succeededCount }: DeepReadonly<SuccessPolicyRule>,
  completions: number,
  path: FieldPath,
): FieldErrorList {
  const errors: FieldErrorList = []
  if (succeededCount === undefined && succeededIndexes === undefined) {
    errors.push(fieldError.required(path, 'at least one of succeededCount or succeededIndexes must be specified'))
  }
  let total = 0
  if (succeededIndexes !== undefined) {
    const at = path.child('succeededIndexes')
    if (succeededIndexes.length > maxIndexesLength) errors.push(fieldError.tooLong(at, maxIndexesLength))
    const parsed = parseIndexes(succeededIndexes, completions)
    if ('count' in parsed) total = parsed.count
    else errors.push(fieldError.invalid(at, succeededIndexes, `error parsing succeededIndexes: ${parsed.error}`))
  }
  if (succeededCount !== undefined) {
    const at = path.child('succeededCount')
    errors.push(...validateNonNegative(succeededCount, at))
    const requireAtMost = (limit: number, meaning: string): void => {
      if (succeededCount > limit) errors.push(fieldError.invalid(at, succeededCount, `must be less than or equal to ${limit} (${meaning})`))
    }
    requireAtMost(completions, 'the number of specified completions')
    if (succeededIndexes !== undefined) requireAtMost(total, 'the number of indexes in the specified succeededIndexes field')
  }
  return errors
}
