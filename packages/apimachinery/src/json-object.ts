import type { JsonObject, JsonValue } from './meta.ts'

/** Excludes lists and null. Not for input of the typed decoder, where numbers may be `NumberLiteral` objects. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
