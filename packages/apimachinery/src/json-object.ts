import type { JsonObject, JsonValue } from './meta.ts'

/** Neither a list nor null. Not for what the typed decoder reads: there a number may be an object, a `NumberLiteral`. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
