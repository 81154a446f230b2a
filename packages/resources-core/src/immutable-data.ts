import { fieldError, fieldPath, semanticEqual, wasSentEmpty } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'

interface MaybeImmutable {
  readonly immutable?: boolean
}

/** Once `immutable` is set, it and the data named by `members` stay as they are. None differs from an empty map, but for what is `defaulted` to one. */
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
  const frozen = object.immutable === true ? changed : ['immutable', ...changed]
  return frozen.map((member) => fieldError.forbidden(fieldPath(member), 'field is immutable when `immutable` is set'))
}
