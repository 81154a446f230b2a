import { decodeStruct, stringifyJson } from '@keelson/apimachinery'
import type { JsonObject, JsonValue, StructSchema } from '@keelson/apimachinery'

/**
 * A patched document as errors print it. As in the original, objects that the patch changed have their members by name, and what it left
 * alone or brought has them as it had them before.
 */
export function printedPatched(patched: JsonValue, document: JsonObject, schema: StructSchema | undefined): string {
  return stringifyJson(ordered(patched, document, inOrder(document, schema)))
}

/** `canonical` is `before` with its members in the order of the schema. */
function ordered(value: JsonValue, before: JsonValue | undefined, canonical: JsonValue | undefined): JsonValue {
  if (value === before) return canonical ?? value
  if (!isObject(value) || !isObject(before)) return value
  const members = Object.keys(value)
    .toSorted()
    .map((name): [string, JsonValue] => [name, ordered(value[name]!, before[name], isObject(canonical) ? canonical[name] : undefined)])
  return Object.fromEntries(members)
}

function inOrder(document: JsonObject, schema: StructSchema | undefined): JsonValue | undefined {
  return schema === undefined ? undefined : decodeStruct(schema, document).object
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
