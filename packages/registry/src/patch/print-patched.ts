import { decodeStruct, goValue, isJsonObject, maybeThen, stringifyJson } from '@keelson/apimachinery'
import type { JsonObject, JsonValue, StructSchema } from '@keelson/apimachinery'
import { applyJsonPatchInSlices, applyMergePatch, strategicPatchAfterMerge } from '@keelson/apimachinery/patch'

/**
 * Prints a patched document for errors, in the order in which kube-apiserver decodes it, from the document before the patch. A promise if it takes
 * long; it rejects with the signal's reason.
 */
export type PrintPatched = (document: JsonObject, schema: StructSchema | undefined, signal: () => AbortSignal) => string | Promise<string>

/**
 * Sorts the members of objects that are both in the document and in the patch, and of new objects of the patch, because merging walks them to
 * drop nulls. The rest stays as written.
 */
export function printedMergePatched(patch: JsonValue): PrintPatched {
  const ordered = (value: JsonValue, before: JsonValue | undefined): JsonValue => {
    if (value === before) return value
    if (!isJsonObject(before)) return sorted(value)
    return isJsonObject(value) ? byName(value, (member, name) => ordered(member, own(before, name))) : value
  }
  return (document, schema) => {
    const before = inOrder(document, schema)
    return stringifyJson(ordered(applyMergePatch(before, patch), before))
  }
}

/** Sorts the members of objects that an operation, a test too, passed on its path. The rest stays as written. */
export function printedJsonPatched(operations: readonly JsonObject[]): PrintPatched {
  return (document, schema, signal) => {
    const passed = new Set<JsonValue>()
    const ordered = (value: JsonValue): JsonValue => {
      if (!passed.has(value)) return value
      if (Array.isArray(value)) return value.map(ordered)
      return isJsonObject(value) ? byName(value, ordered) : value
    }
    const patched = applyJsonPatchInSlices(inOrder(document, schema), operations, { signal, passed })
    return maybeThen(patched, (value) => stringifyJson(ordered(value)))
  }
}

/** Prints the patch as merging left it. */
export function printedStrategicPatch(patch: JsonObject): PrintPatched {
  return (document, schema) => goValue(schema === undefined ? patch : strategicPatchAfterMerge(document, patch, schema))
}

function inOrder(document: JsonObject, schema: StructSchema | undefined): JsonObject {
  if (schema === undefined) return document
  const { kind, apiVersion } = document
  // Decoding leaves them out.
  return { kind, apiVersion, ...decodeStruct(schema, document).object } as JsonObject
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted)
  return isJsonObject(value) ? byName(value, sorted) : value
}

function byName(value: JsonObject, change: (member: JsonValue, name: string) => JsonValue): JsonObject {
  const names = Object.keys(value).toSorted()
  return Object.fromEntries(names.map((name): [string, JsonValue] => [name, change(value[name]!, name)]))
}

function own(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined
}
