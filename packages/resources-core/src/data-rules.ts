import { measureUtf8Bytes, fieldError, newFieldPath, isConfigMapKey, equalsSemantically, wasSentEmpty } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

/** Maximum total size in bytes of all values of a ConfigMap or Secret. */
export const maxDataSize: number = 1024 * 1024

type StringMap = Readonly<Record<string, string>>

export function validateDataKey(key: string, path: FieldPath): FieldErrorList {
  return isConfigMapKey(key).map((message) => fieldError.invalid(path.key(key), key, message))
}

export function sumStringSizes(data: StringMap): number {
  return Object.values(data).reduce((size, value) => size + measureUtf8Bytes(value), 0)
}

/** Returns the total size in bytes of base64 values after decoding. */
export function sumBinarySizes(data: StringMap): number {
  return Object.values(data).reduce((size, value) => size + computeDecodedLength(value), 0)
}

function computeDecodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor((base64.length * 3) / 4) - padding
}

interface MaybeImmutable {
  readonly immutable?: boolean
}

/**
 * Rejects changes of the fields `members` and of `immutable` if the stored object is immutable. A missing map and an empty map are
 * different values, except for the field `defaulted`.
 */
export function validateImmutableData<T extends MaybeImmutable>(
  object: T,
  old: T,
  members: readonly (keyof T & string)[],
  defaulted?: keyof T & string,
): FieldErrorList {
  if (old.immutable !== true) return []
  const changed = members.filter(
    (member) => !equalsSemantically(object[member] ?? {}, old[member] ?? {}) || (member !== defaulted && wasSentEmpty(object, member)),
  )
  const violations = object.immutable === true ? changed : ['immutable', ...changed]
  return violations.map((member) => fieldError.forbidden(newFieldPath(member), 'field is immutable when `immutable` is set'))
}
