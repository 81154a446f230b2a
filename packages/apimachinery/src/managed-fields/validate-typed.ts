import { quote } from '../go-text.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { listElement } from './list-element.ts'
import { TypedError, resolveType } from './merge-type.ts'
import type { MergeList, MergeMap, MergeScalar, MergeType, TypedFailure } from './merge-type.ts'
import { fieldElement, formatElement } from './path-element.ts'
import type { PathElement } from './path-element.ts'

/** Validates a value against its type. Throws `TypedError` with all type mismatches, unknown fields and duplicate list items. */
export function validateTyped(type: MergeType, value: JsonValue): void {
  const failures: TypedFailure[] = []
  check(type, value, [], failures)
  if (failures.length > 0) throw new TypedError(failures)
}

function check(type: MergeType, value: JsonValue, path: readonly PathElement[], failures: TypedFailure[]): void {
  const resolved = resolveType(type, value)
  switch (resolved.kind) {
    case 'scalar': {
      const message = scalarFailure(resolved, value)
      if (message !== undefined) failures.push({ path, message })
      return
    }
    case 'list':
      if (Array.isArray(value)) checkItems(resolved, value, path, failures)
      else if (value !== null) failures.push({ path, message: `expected list, got ${wrapped(value)}` })
      return
    case 'map':
      if (typeof value === 'object' && !Array.isArray(value)) {
        if (value !== null) checkMembers(resolved, value, path, failures)
      } else failures.push({ path, message: `expected map, got ${wrapped(value)}` })
  }
}

function checkItems(type: MergeList, list: readonly JsonValue[], path: readonly PathElement[], failures: TypedFailure[]): void {
  const seen = new Set<PathElement>()
  for (const [i, item] of list.entries()) {
    let element = `i:${i}`
    if (type.relationship !== 'atomic') {
      try {
        element = listElement(type, item)
      } catch (error) {
        failures.push({ path, message: `element ${i}: ${(error as Error).message}` })
        return
      }
      if (seen.has(element)) failures.push({ path, message: `duplicate entries for key ${formatElement(element)}` })
      seen.add(element)
    }
    check(type.items, item, [...path, element], failures)
  }
}

function checkMembers(type: MergeMap, map: JsonObject, path: readonly PathElement[], failures: TypedFailure[]): void {
  for (const name of Object.keys(map)) {
    const inner = type.byName.get(name)?.type ?? type.values
    const below = [...path, fieldElement(name)]
    if (inner === undefined) {
      failures.push({ path: below, message: 'field not declared in schema' })
      return
    }
    check(inner, map[name]!, below, failures)
  }
}

function scalarFailure({ scalar }: MergeScalar, value: JsonValue): string | undefined {
  if (value === null) return undefined
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint' ? undefined : `expected numeric (int or float), got ${goType(value)}`
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${wrapped(value)}`
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got ${wrapped(value)}` : undefined
  }
}

/** Returns the Go type of a decoded YAML or JSON value, as `%T` prints it. */
function goType(value: JsonValue): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'object') return 'map[string]interface {}'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** Formats a value like `%v` of a pointer to a value of structured-merge-diff. */
function wrapped(value: JsonValue): string {
  return `&{${plain(value)}}`
}

function plain(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(plain).join(' ')}]`
  if (typeof value !== 'object') return String(value)
  return `map[${Object.keys(value)
    .sort()
    .map((key) => `${key}:${plain(value[key]!)}`)
    .join(' ')}]`
}

/** Formats a value like Go's `%#v`. */
function goSyntax(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)'
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object') return String(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${quote(key)}:${goSyntax(value[key]!)}`)
  return `map[string]interface {}{${members.join(', ')}}`
}
