import { quote } from '../go-text.ts'
import { isJsonObject } from '../json-value.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { GoValue } from './go-value.ts'
import { listElement } from './list-element.ts'
import { TypedError, resolveType } from './merge-type.ts'
import type { MergeList, MergeMap, MergeScalar, MergeType, TypedFailure } from './merge-type.ts'
import { createFieldElement, formatElement } from './path-element.ts'
import type { PathElement } from './path-element.ts'

interface ValidateOptions {
  /** True to accept list items with the same identity. Default: false. */
  readonly allowsDuplicates?: boolean
}

/** Validates a value against its type. Throws `TypedError` with all type mismatches, unknown fields and duplicate list items. */
export function validateTyped(type: MergeType, value: JsonValue, { allowsDuplicates = false }: ValidateOptions = {}): void {
  const report: Report = { failures: [], allowsDuplicates }
  check(type, value, [], report)
  if (report.failures.length > 0) throw new TypedError(report.failures)
}

interface Report {
  readonly failures: TypedFailure[]
  readonly allowsDuplicates: boolean
}

function check(type: MergeType, value: JsonValue, path: readonly PathElement[], report: Report): void {
  const resolved = resolveType(type, value)
  switch (resolved.kind) {
    case 'scalar': {
      const message = describeScalarFailure(resolved, value)
      if (message !== undefined) report.failures.push({ path, message })
      return
    }
    case 'list':
      if (Array.isArray(value)) checkItems(resolved, value, path, report)
      else if (value !== null) report.failures.push({ path, message: `expected list, got ${formatObject(value)}` })
      return
    case 'map':
      if (typeof value === 'object' && !Array.isArray(value) && !(value instanceof GoValue)) {
        if (value !== null) checkMembers(resolved, value, path, report)
      } else report.failures.push({ path, message: `expected map, got ${formatObject(value)}` })
  }
}

function checkItems(type: MergeList, list: readonly JsonValue[], path: readonly PathElement[], report: Report): void {
  const visited = new Set<PathElement>()
  for (const [i, item] of list.entries()) {
    let element = `i:${i}`
    if (type.relationship !== 'atomic') {
      try {
        element = listElement(type, item)
      } catch (error) {
        report.failures.push({ path, message: `element ${i}: ${(error as Error).message}` })
        return
      }
      if (!report.allowsDuplicates && visited.has(element))
        report.failures.push({ path, message: `duplicate entries for key ${formatElement(element)}` })
      visited.add(element)
    }
    check(type.items, item, [...path, element], report)
  }
}

function checkMembers(type: MergeMap, map: JsonObject, path: readonly PathElement[], report: Report): void {
  for (const name of Object.keys(map)) {
    const inner = type.byName.get(name)?.type ?? type.values
    const below = [...path, createFieldElement(name)]
    if (inner === undefined) {
      report.failures.push({ path: below, message: 'field not declared in schema' })
      return
    }
    check(inner, map[name]!, below, report)
  }
}

/** Returns whether a value matches its type, like `validateTyped`, which also tells the failures. Accepts list items with the same identity. */
export function conforms(type: MergeType, value: JsonValue): boolean {
  const resolved = resolveType(type, value)
  if (value === null) return true
  switch (resolved.kind) {
    case 'scalar':
      return describeScalarFailure(resolved, value) === undefined
    case 'list':
      if (!Array.isArray(value)) return false
      for (const item of value) if (!isIdentified(resolved, item) || !conforms(resolved.items, item)) return false
      return true
    case 'map':
      return isJsonObject(value) && conformsToMap(resolved, value)
  }
}

function conformsToMap(type: MergeMap, map: JsonObject): boolean {
  for (const name in map) {
    const value = map[name]
    if (value === undefined) continue
    const inner = type.byName.get(name)?.type ?? type.values
    if (inner === undefined || !conforms(inner, value)) return false
  }
  return true
}

/** Returns whether `listElement` finds an identity for the item. Builds no path element, because most lists are valid. */
function isIdentified({ relationship, keys }: MergeList, item: JsonValue): boolean {
  if (relationship === 'atomic') return true
  if (relationship === 'set') return typeof item !== 'object'
  return isJsonObject(item) && keys.some((key) => (item[key.name] ?? key.default) !== undefined)
}

function describeScalarFailure({ scalar }: MergeScalar, value: JsonValue): string | undefined {
  if (value === null) return undefined
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint' ? undefined : `expected numeric (int or float), got ${goType(value)}`
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${formatObject(value)}`
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got ${formatObject(value)}` : undefined
  }
}

/** Returns the Go type of a decoded YAML or JSON value, as `%T` prints it. */
function goType(value: JsonValue): string {
  if (value instanceof GoValue) return value.type
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'object') return 'map[string]interface {}'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** Formats a value like `%v` of a pointer to a value of structured-merge-diff. */
function formatObject(value: JsonValue): string {
  return `&{${formatPlain(value)}}`
}

function formatPlain(value: JsonValue): string {
  if (value instanceof GoValue) return value.text
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(formatPlain).join(' ')}]`
  if (typeof value !== 'object') return String(value)
  return `map[${Object.keys(value)
    .sort()
    .map((key) => `${key}:${formatPlain(value[key]!)}`)
    .join(' ')}]`
}

/** Formats a value like Go's `%#v`. */
function goSyntax(value: JsonValue): string {
  if (value instanceof GoValue) return value.syntax
  if (value === null) return 'interface {}(nil)'
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object') return String(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${quote(key)}:${goSyntax(value[key]!)}`)
  return `map[string]interface {}{${members.join(', ')}}`
}
