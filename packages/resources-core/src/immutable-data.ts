import { fieldError, fieldPath, semanticEqual, wasSentEmpty } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'

interface MaybeImmutable {
  readonly immutable?: boolean
}

/** Rejects changes of `members` and of `immutable` once that is set. A missing map differs from an empty one unless it is `defaulted`. */
export function validateImmutableData<T extends MaybeImmutable>(
  object: T,
  old: T,
  members: readonly (keyof T & string)[],
  defaulted?: keyof T & string,
): FieldErrorList {
  if (old.immutable !== true) return []
  const changed = members.filter(
    (member) => !semanticEqual(object[member] ?? {}, old[member] ?? {}) || (member !== defaulted && wasSentEmpty(object, member)),
  )
  const violations = object.immutable === true ? changed : ['immutable', ...changed]
  return violations.map((member) => fieldError.forbidden(fieldPath(member), 'field is immutable when `immutable` is set'))
}
