import { parseJson, sharedJson, stringifyJson } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import { ProtoError } from './proto-error.ts'

/** JSON held as bytes inside a message (RawExtension, FieldsV1). Empty is null; large integers are `bigint`, as `parseJson` gives them. */
export function parseJsonBytes(text: string): JsonValue {
  if (text === '' || text === '{}') return text === '' ? null : {}
  try {
    return longDigits.test(text) ? parseJson(text).value : (JSON.parse(text) as JsonValue)
  } catch (error) {
    throw new ProtoError('the message holds bytes that are not JSON', { cause: error })
  }
}

const longDigits = /\d{16}/

export function formatJsonBytes(value: JsonValue): string {
  const shared = sharedJson(value)
  // What is escaped there is not here.
  if (shared !== undefined && !shared.includes('\\u')) return shared
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof TypeError) return stringifyJson(value)
    throw error
  }
}
