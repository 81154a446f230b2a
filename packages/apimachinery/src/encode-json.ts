import type { ManagedFieldsEntry } from './meta.ts'
import { sharedText } from './shared-text.ts'
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

/** JSON text as Go writes it: `<`, `>`, `&` and the two line separators escaped, `bigint` as a number, lone surrogates replaced. */
export function stringifyJson(value: unknown): string {
  const text = nativeJson(value)
  return escaped.test(text) ? text.replace(escapedAll, (c) => escapes[c]!) : text
}

/**
 * The text of an object that `decodeStruct` made (or that has its shape): fields already stand in schema order, so nothing is looked up.
 * With a schema that has a kind, `typeMeta` writes `kind` and `apiVersion` first.
 */
export function encodeJson(schema: StructSchema, object: unknown, options: { readonly typeMeta?: boolean } = {}): string {
  const body = aroundSharedSets(object) ?? stringifyJson(object)
  if (options.typeMeta !== true || schema.gvk === undefined) return body
  const { group, version, kind } = schema.gvk
  const head = `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(group === '' ? version : `${group}/${version}`)}`
  return body === '{}' ? `{${head}}` : `{${head},${body.slice(1)}`
}

/**
 * The text of an object whose managers' sets are shared (`shareText`), which is nearly half of what is stored of a pod: written around the sets' texts.
 * Undefined where none is shared, or where metadata and what it says of managers do not stand first and last.
 */
function aroundSharedSets(object: unknown): string | undefined {
  const metadata = (object as { readonly metadata?: { readonly managedFields?: unknown } | null } | null | undefined)?.metadata
  const entries = metadata?.managedFields as readonly (ManagedFieldsEntry | null)[] | undefined
  if (!Array.isArray(entries) || !entries.some(sharesSet)) return undefined
  if (firstMember(object as object) !== 'metadata' || lastMember(metadata!) !== 'managedFields') return undefined
  const texts = entries.map(entryText)
  const before = openText({ ...metadata, managedFields: undefined })
  const behind = stringifyJson({ ...(object as object), metadata: undefined })
  const head = `{"metadata":${before}"managedFields":[${texts.join(',')}]}`
  return behind === '{}' ? `${head}}` : `${head},${behind.slice(1)}`
}

/** What `stringifyJson` makes of a value that many objects share, made once; undefined for others. */
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

/** For another member to be written behind it. */
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

/** JSON.stringify finds a `bigint` by throwing, so that objects without one pay nothing for it. Before Node 26 it also throws at some thousand levels. */
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
  /** Of an object: names and values in turns. */
  readonly members: readonly unknown[]
  next: number
}

/** For values with `bigint` in them, and for those nested deeper than the stack allows. */
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
