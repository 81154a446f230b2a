import { goValue, isJsonObject, newUnknownError } from '@keelson/apimachinery'
import type { DeepReadonly, JsonObject, JsonValue, KubeObject } from '@keelson/apimachinery'

/** The names of the members on a path of dots: ".spec.replicas" → ["spec", "replicas"]. */
export function splitPath(path: string): readonly string[] {
  return (path.startsWith('.') ? path.slice(1) : path).split('.')
}

/** The value at a path. Undefined if a member on the path is missing. Throws if a value on the path has the wrong type. */
function findNestedValue(object: DeepReadonly<KubeObject>, names: readonly string[]): JsonValue | undefined {
  let value: JsonValue = object as unknown as JsonObject
  for (const [i, name] of names.entries()) {
    if (value === null) return undefined
    if (!isJsonObject(value)) throw newAccessorError(names.slice(0, i + 1), value, 'map[string]interface{}')
    if (!Object.hasOwn(value, name)) return undefined
    value = value[name]!
  }
  return value
}

/** Returns the integer at a path. Throws if there is another value. */
export function readNestedInteger(object: DeepReadonly<KubeObject>, names: readonly string[]): number | bigint | undefined {
  const value = findNestedValue(object, names) as JsonValue | bigint | undefined
  if (value === undefined || typeof value === 'bigint' || Number.isInteger(value)) return value as number | bigint | undefined
  throw newAccessorError(names, value, 'int64')
}

/** Returns the text at a path. Throws if there is another value. */
export function readNestedString(object: DeepReadonly<KubeObject>, names: readonly string[]): string | undefined {
  const value = findNestedValue(object, names)
  if (value === undefined || typeof value === 'string') return value
  throw newAccessorError(names, value, 'string')
}

/** Sets the value at a path, and creates missing objects on the path. Throws if a value on the path is not an object. */
export function setNestedValue(object: KubeObject, names: readonly string[], value: JsonValue): void {
  let at = object as unknown as JsonObject
  for (const [i, name] of names.slice(0, -1).entries()) {
    const next = Object.hasOwn(at, name) ? at[name]! : (at[name] = {})
    if (!isJsonObject(next)) {
      throw newUnknownError(`value cannot be set because ${formatJsonPath(names.slice(0, i + 1))} is not a map[string]interface{}`)
    }
    at = next
  }
  at[names.at(-1)!] = value
}

function newAccessorError(names: readonly string[], value: JsonValue, expected: string): Error {
  return newUnknownError(
    `${formatJsonPath(names)} accessor error: ${goValue(value)} is of the type ${getGoType(value)}, expected ${expected}`,
  )
}

function formatJsonPath(names: readonly string[]): string {
  return `.${names.join('.')}`
}

function getGoType(value: JsonValue | bigint): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'object') return 'map[string]interface {}'
  return typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64'
}
