import type { ManagedFieldsEntry } from './meta.ts'
import { formatGroupVersion } from './names.ts'
import type { StructSchema } from './type-schema.ts'

const escaped = /[<>&\u2028\u2029]/
const escapedAll = /[<>&\u2028\u2029]/g
const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** Serializes JSON like Go: escapes `<`, `>`, `&` and the two line separators, writes `bigint` as a number, replaces lone surrogates. */
export function stringifyJson(value: unknown): string {
  const text = nativeJson(value)
  return escaped.test(text) ? text.replace(escapedAll, (c) => escapes[c]!) : text
}

/**
 * Serializes an object in `decodeStruct`'s canonical form, whose fields are already in schema order. With `typeMeta`, a kind's `kind` and
 * `apiVersion` come first.
 */
export function encodeJson(schema: StructSchema, object: unknown, options: { readonly typeMeta?: boolean } = {}): string {
  const body = stringifyAroundSharedSets(object) ?? stringifyJson(object)
  if (options.typeMeta !== true || schema.gvk === undefined) return body
  const { group, version, kind } = schema.gvk
  const head = `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(formatGroupVersion({ group, version }))}`
  return body === '{}' ? `{${head}}` : `{${head},${body.slice(1)}`
}

/**
 * Reuses the serialized field sets of managers (`shareText`), which are nearly half of a stored pod. Returns undefined if none is shared,
 * or if metadata is not the first member with its managedFields last.
 */
function stringifyAroundSharedSets(object: unknown): string | undefined {
  const metadata = (object as { readonly metadata?: { readonly managedFields?: unknown } | null } | null | undefined)?.metadata
  const entries = metadata?.managedFields as readonly (ManagedFieldsEntry | null)[] | undefined
  if (!Array.isArray(entries) || !entries.some(sharesSet)) return undefined
  if (firstMember(object as object) !== 'metadata' || lastMember(metadata!) !== 'managedFields') return undefined
  const texts = entries.map(entryText)
  const before = openText({ ...metadata, managedFields: undefined })
  const rest = stringifyJson({ ...(object as object), metadata: undefined })
  const head = `{"metadata":${before}"managedFields":[${texts.join(',')}]}`
  return rest === '{}' ? `${head}}` : `${head},${rest.slice(1)}`
}

/** Returns the cached JSON of a shared value; undefined for other values. */
export function sharedJson(value: unknown): string | undefined {
  return sharedText(value, stringifyJson)
}

function sharesSet(entry: ManagedFieldsEntry | null): boolean {
  return sharedJson(entry?.fieldsV1) !== undefined
}

function entryText(entry: ManagedFieldsEntry | null): string {
  const set = sharedJson(entry?.fieldsV1)
  if (set === undefined) return stringifyJson(entry)
  const { subresource } = entry!
  const before = openText({ ...entry, fieldsV1: undefined, subresource: undefined })
  return `${before}"fieldsV1":${set}${subresource === undefined ? '' : `,"subresource":${stringifyJson(subresource)}`}}`
}

/** Returns the JSON of an object without the closing brace, so that another member can follow. */
function openText(object: object): string {
  const text = stringifyJson(object)
  return text === '{}' ? '{' : `${text.slice(0, -1)},`
}

function firstMember(object: object): string | undefined {
  for (const name in object) return name
  return undefined
}

function lastMember(object: object): string | undefined {
  let last: string | undefined
  for (const name in object) last = name
  return last
}

/** Tries JSON.stringify first. It throws for a `bigint`, and before Node 26 also for values with thousands of nested levels. */
function nativeJson(value: unknown): string {
  try {
    const text = JSON.stringify(value)
    return text === undefined ? 'null' : goEscapes(text)
  } catch (e) {
    if (e instanceof TypeError || e instanceof RangeError) return stringifyExactly(value)
    throw e
  }
}

function goEscapes(text: string): string {
  return text.includes('\\ud') ? text.replace(/(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g, '$1\\ufffd') : text
}

interface OpenValue {
  readonly isList: boolean
  /** The items of a list. For objects, names and values alternate. */
  readonly members: readonly unknown[]
  next: number
}

/** Serializes values that JSON.stringify cannot: with `bigint` or with very deep nesting. */
function stringifyExactly(root: unknown): string {
  const parts: string[] = []
  const open: OpenValue[] = []
  const write = (value: unknown): void => {
    if (typeof value === 'bigint') parts.push(String(value))
    else if (typeof value !== 'object' || value === null) parts.push(nativeJson(value))
    else {
      const isList = Array.isArray(value)
      parts.push(isList ? '[' : '{')
      open.push({ isList, members: isList ? value : membersOf(value), next: 0 })
    }
  }
  write(root)
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    if (last.next === last.members.length) {
      parts.push(last.isList ? ']' : '}')
      open.pop()
      continue
    }
    if (last.next > 0) parts.push(',')
    if (!last.isList) parts.push(`${nativeJson(last.members[last.next++])}:`)
    write(last.members[last.next++])
  }
  return parts.join('')
}

function membersOf(object: object): readonly unknown[] {
  return Object.entries(object).flatMap((member) => (member[1] === undefined ? [] : member))
}

const texts = new WeakMap<object, string | undefined>()

/** Marks an immutable value that many objects share. It is then serialized only once. */
export function shareText(value: object): void {
  if (!texts.has(value)) texts.set(value, undefined)
}

/** Returns the cached text of a shared value; undefined for other values. */
function sharedText(value: unknown, write: (value: object) => string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const text = texts.get(value)
  if (text !== undefined || !texts.has(value)) return text
  const written = write(value)
  texts.set(value, written)
  return written
}
