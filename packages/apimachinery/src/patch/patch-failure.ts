import { newBadRequest } from '../api-errors.ts'
import type { JsonObject, JsonValue } from '../meta.ts'

/** Thrown if a strategic merge patch cannot be applied. `status` is the HTTP status code that kube-apiserver returns, usually 500. */
export class PatchFailure extends Error {
  readonly status: 400 | 422 | 500

  constructor(message: string, status: 400 | 422 | 500 = 500) {
    super(message)
    this.status = status
  }
}

export const newBadPrimitiveList = (): PatchFailure => new PatchFailure('invalid patch format of primitive list', 400)
export const newBadRetainKeys = (): PatchFailure => new PatchFailure('invalid patch format of retainKeys', 400)
export const newBadElementOrder = (): PatchFailure => new PatchFailure('invalid patch format of setElementOrder list', 400)
export const newListOfLists = (): PatchFailure => new PatchFailure('lists of lists are not supported', 422)

export function newMissingMergeKey(item: JsonObject, mergeKey: string): PatchFailure {
  return new PatchFailure(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`)
}

export function newBadType(expected: 'map' | 'list', actual: JsonValue | undefined): PatchFailure {
  return new PatchFailure(`expected a ${expected === 'map' ? goMap : goList}, but received a ${goType(actual ?? null)}`)
}

const goMap = 'map[string]interface {}'
const goList = '[]interface {}'

/** Returns the Go type of a JSON value that was decoded without a schema. */
export function goType(value: JsonValue): string {
  if (value === null) return '%!s(<nil>)'
  if (typeof value === 'object') return Array.isArray(value) ? goList : goMap
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  return Number.isInteger(value) || typeof value === 'bigint' ? 'int64' : 'float64'
}

/** Formats a value like Go's `%v`. */
export function goValue(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`
  const members = Object.keys(value).sort()
  return `map[${members.map((key) => `${key}:${goValue(value[key]!)}`).join(' ')}]`
}

/** Runs a recursive function on a patch. Throws a 400 if the nesting of the patch overflows the stack. */
export function withDepthLimit<T>(apply: () => T): T {
  try {
    return apply()
  } catch (e) {
    if (e instanceof RangeError) throw newBadRequest('exceeded max depth', { cause: e })
    throw e
  }
}
