import { newBadRequest } from '../api-errors.ts'
import { parseJson, refuseDeepNesting, refuseTooManyValues } from '../json-document.ts'
import type { FieldValidation } from '../decode-context.ts'
import type { ParsedJson } from '../json-document.ts'
import { isJsonError } from '../json-error.ts'
import { getJsonType } from '../decode-context.ts'
import { isJsonObject, mapList } from '../json-value.ts'
import { setOwn } from '../set-own.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { withDepthLimit } from './patch-failure.ts'

export interface ObjectPatch {
  readonly patch: JsonObject
  /** Duplicate fields of the patch: `duplicate field "metadata.name"`. */
  readonly strictErrors: readonly string[]
}

/** Decodes a merge patch like kube-apiserver's PATCH handler. Throws the same `ApiError` for an invalid patch. */
export function decodeMergePatch(input: Uint8Array | string | ParsedJson, strict: FieldValidation = 'Ignore'): ObjectPatch {
  return decodeObjectPatch(input, strict, { prefix: 'error decoding patch: ', nullMessage: 'Invalid JSON Patch' })
}

/** Decodes a strategic merge patch like kube-apiserver's PATCH handler. Throws the same `ApiError` for an invalid patch. */
export function decodeStrategicMergePatch(input: Uint8Array | string | ParsedJson, strict: FieldValidation = 'Ignore'): ObjectPatch {
  return decodeObjectPatch(input, strict, { prefix: '' })
}

function decodeObjectPatch(
  input: Uint8Array | string | ParsedJson,
  strict: FieldValidation,
  words: { readonly prefix: string; readonly nullMessage?: string },
): ObjectPatch {
  let parsed: ParsedJson
  try {
    parsed = typeof input === 'string' || input instanceof Uint8Array ? parseJson(input) : input
    refuseDeepNesting(parsed)
    refuseTooManyValues(parsed.value, parsed.text.length)
  } catch (e) {
    if (isJsonError(e)) throw newBadRequest(words.prefix + e.message, { cause: e })
    throw e
  }
  const { value } = parsed
  const strictErrors = strict === 'Ignore' ? [] : parsed.duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`)
  if (value === null) {
    if (words.nullMessage !== undefined) throw newBadRequest(words.nullMessage)
    return { patch: {}, strictErrors }
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw newBadRequest(`${words.prefix}json: cannot unmarshal ${getJsonType(value)} into Go value of type map[string]interface {}`)
  }
  return { patch: value, strictErrors }
}

/**
 * Applies a JSON merge patch (RFC 7386). Modifies neither argument. The result shares unchanged values with both. As in kube-apiserver, nulls in
 * objects inside a new list are dropped too.
 */
export function applyMergePatch<T extends JsonValue = JsonValue>(document: T, patch: JsonValue): T {
  return withDepthLimit(() => mergeValue(document, patch) as T)
}

function mergeValue(current: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(current)) return withoutNulls(patch)
  if (!isJsonObject(patch)) return patch
  const merged: { [key: string]: unknown } = {}
  for (const key in current)
    if (!Object.hasOwn(patch, key)) setOwn(merged, key, current[key])
    else if (patch[key] !== null) setOwn(merged, key, mergeMember(current[key]!, patch[key]!))
  for (const key in patch) {
    if (patch[key] !== null && !Object.hasOwn(current, key)) setOwn(merged, key, withoutNulls(patch[key]!))
  }
  return merged as JsonObject
}

function mergeMember(current: JsonValue, patch: JsonValue): JsonValue {
  return current === null ? withoutNulls(patch) : mergeValue(current, patch)
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return mapList(value, withoutNulls)
  if (!isJsonObject(value)) return value
  const members: { [key: string]: unknown } = {}
  for (const key in value) if (value[key] !== null) setOwn(members, key, withoutNulls(value[key]!))
  return members as JsonObject
}
