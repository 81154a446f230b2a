import { fieldError, fieldPath, semanticEqual } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'

interface MaybeImmutable {
  readonly immutable?: boolean
}

/** Once `immutable` is set, it and the data named by `members` stay as they are. */
export function validateImmutableData<T extends MaybeImmutable>(object: T, old: T, members: readonly (keyof T & string)[]): FieldErrorList {
  if (old.immutable !== true) return []
  const changed = members.filter((member) => !semanticEqual(object[member] ?? {}, old[member] ?? {}))
  const frozen = object.immutable === true ? changed : ['immutable', ...changed]
  return frozen.map((member) => fieldError.forbidden(fieldPath(member), 'field is immutable when `immutable` is set'))
}
