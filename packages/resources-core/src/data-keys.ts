import { byteLength, fieldError, isConfigMapKey } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

/** Maximum total size in bytes of all values of a ConfigMap or Secret. */
export const maxDataSize: number = 1024 * 1024

type StringMap = Readonly<Record<string, string>>

export function validateDataKey(key: string, path: FieldPath): FieldErrorList {
  return isConfigMapKey(key).map((message) => fieldError.invalid(path.key(key), key, message))
}

export function sumStringSizes(data: StringMap): number {
  return Object.values(data).reduce((size, value) => size + byteLength(value), 0)
}

/** Total size of base64 values after decoding. */
export function sumBinarySizes(data: StringMap): number {
  return Object.values(data).reduce((size, value) => size + decodedLength(value), 0)
}

function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor((base64.length * 3) / 4) - padding
}
