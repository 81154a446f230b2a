import type { CrossVersionObjectReference } from '@keelson/api/autoscaling/v2'
import { fieldError, isPathSegmentName, parseGroupVersion } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors } from '@keelson/resources-core'

export interface ReferenceRules {
  readonly allowEmptyGroup: boolean
  /** Whether to allow an invalid `apiVersion`, because the stored object already has it. */
  readonly allowInvalidVersion: boolean
}

type Reference = DeepReadonly<CrossVersionObjectReference>

/** Validates a reference to the scale target or to the object of a metric. */
export function validateReference(reference: Reference | undefined, path: FieldPath, rules: ReferenceRules): FieldErrorList {
  const { kind = '', name = '', apiVersion = '' } = reference ?? {}
  const errors = Object.entries({ kind, name }).flatMap(([member, value]) => {
    const at = path.child(member)
    return value === '' ? [fieldError.required(at)] : createInvalidErrors(isPathSegmentName(value), value, at)
  })
  const error = findApiVersionError(reference, rules)
  return error === undefined ? errors : [...errors, fieldError.invalid(path.child('apiVersion'), apiVersion, error)]
}

export function findApiVersionError(reference: Reference | undefined, rules: ReferenceRules): string | undefined {
  if (rules.allowInvalidVersion) return undefined
  try {
    const { group } = parseGroupVersion(reference?.apiVersion ?? '')
    return group === '' && !rules.allowEmptyGroup ? 'apiVersion must specify API group' : undefined
  } catch (error) {
    return (error as Error).message
  }
}
