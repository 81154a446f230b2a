import { parseJson, sharedJson, stringifyJson } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import { ProtoError } from './proto-error.ts'

/**
 * Parses JSON embedded in a message as bytes (RawExtension, FieldsV1). Empty bytes mean null; large integers become `bigint`, as in
 * `parseJson`.
 */
export function parseJsonBytes(text: string): JsonValue {
  if (text === '' || text === '{}') return text === '' ? null : {}
  try {
    return longDigits.test(text) ? parseJson(text).value : (JSON.parse(text) as JsonValue)
  } catch (error) {
    throw new ProtoError('embedded bytes are not JSON', { cause: error })
  }
}

const longDigits = /\d{16}/

export function formatJsonBytes(value: JsonValue): string {
  const shared = sharedJson(value)
  // Escaped text in the shared source may be unescaped in this value.
  if (shared !== undefined && !shared.includes('\\u')) return shared
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof TypeError) return stringifyJson(value)
    throw error
  }
}
