import { byteLength, fieldError, isConfigMapKey } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

/** What all values of a ConfigMap or Secret may take together. */
export const maxDataSize: number = 1024 * 1024

type StringMap = Readonly<Record<string, string>>

export function validateDataKey(key: string, path: FieldPath): FieldErrorList {
  return isConfigMapKey(key).map((message) => fieldError.invalid(path.key(key), key, message))
}

export function textSize(data: StringMap): number {
  return Object.values(data).reduce((size, value) => size + byteLength(value), 0)
}

/** Of base64 values, decoded. */
export function binarySize(data: StringMap): number {
  return Object.values(data).reduce((size, value) => size + decodedLength(value), 0)
}

function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor((base64.length * 3) / 4) - padding
}
