import type { JsonValue, ManagedFieldsEntry } from './meta.ts'
import { formatGroupVersion } from './names.ts'
import type { StructSchema } from './type-schema.ts'
import { stringifyDecoded, UndecodedObject } from './undecoded-object.ts'
import { formatFloat } from './yaml/format-float.ts'

// Functions that format values like Go: as text for messages, and as JSON.

/** The characters that Go escapes with a backslash and a letter, a quote or a backslash. */
export const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}
const needsEscape = /[^ !#-[\]-~]/
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u

/** Quotes text like Go's `%q` (strconv.Quote). */
export function quote(text: string): string {
  if (!needsEscape.test(text)) return `"${text}"`
  let out = '"'
  for (const char of text) out += shortEscapes[char] ?? escapeRune(char)
  return out + '"'
}

function escapeRune(char: string): string {
  const code = char.codePointAt(0)!
  if (code >= 0x20 && code < 0x7f) return char
  if (code < 0x80) return `\\x${formatHex(code, 2)}`
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  if (printable.test(char)) return char
  return code > 0xffff ? `\\U${formatHex(code, 8)}` : `\\u${formatHex(code, 4)}`
}

/** Serializes a value like Go's json.Marshal. The caller must sort the keys of maps. */
export const goJson: (value: unknown) => string = stringifyJson

/** Formats a decoded JSON value like Go's `%+v`, with sorted keys: `map[a:1 b:[x <nil>]]`. */
export function goValue(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`
  if (typeof value === 'number' && !Number.isInteger(value)) return formatFloat(value)
  if (typeof value !== 'object') return String(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goValue(value[key]!)}`)
  return `map[${members.join(' ')}]`
}

/** Returns the length of a string in UTF-8 bytes, like Go's len(). */
export function measureUtf8Bytes(text: string): number {
  // Buffer.byteLength is faster than the loop for long strings.
  if (text.length > 32) return Buffer.byteLength(text)
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text)
  return text.length
}

/**
 * Returns whether the UTF-8 encoding of the text has more than `maxBytes` bytes. Counts the bytes only if the number of UTF-16 units does not
 * decide: each unit takes one to three bytes.
 */
export function exceedsBytes(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && measureUtf8Bytes(text) > maxBytes
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
])

/** Parses a boolean like Go's `strconv.ParseBool`. Returns undefined for any other text. */
export function parseBoolean(text: string): boolean | undefined {
  return booleans.get(text)
}

/** Parses an integer like Go's strconv.ParseInt(text, 10, 64). Returns undefined for text that Go rejects. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?0*[0-9]{1,19}$/.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function formatHex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0')
}

const maxEntries = 1024
/** Maximum length of strings whose results are cached. Longer strings are rare and not worth the memory. */
const maxTextLength = 128

/**
 * Returns a function that caches the results of `compute`, which must be a pure function of a string. Useful for strings that occur often. The
 * cache has a bounded size.
 */
export function memoizeByText<T extends object>(compute: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>()
  return (text) => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const result = compute(text)
    if (text.length > maxTextLength) return result
    if (cache.size >= maxEntries) cache.clear()
    cache.set(text, result)
    return result
  }
}

const escaped = /[<>&\u2028\u2029]/
const escapedAll = /[<>&\u2028\u2029]/g
const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/**
 * Serializes a value as JSON like Go: escapes `<`, `>`, `&` and the two line separators, writes `bigint` as a number, and replaces lone
 * surrogates.
 */
export function stringifyJson(value: unknown): string {
  const text = stringifyNatively(value)
  return escaped.test(text) ? text.replace(escapedAll, (c) => escapes[c]!) : text
}

/**
 * Serializes an object in the canonical form of `decodeStruct`, whose fields are already in schema order. With `typeMeta`, writes `kind` and
 * `apiVersion` of a kind first.
 */
export function encodeJson(schema: StructSchema, object: unknown, options: { readonly typeMeta?: boolean } = {}): string {
  const body = stringifyAroundSharedSets(object) ?? stringifyJson(object)
  if (options.typeMeta !== true || schema.gvk === undefined) return body
  const { group, version, kind } = schema.gvk
  const head = `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(formatGroupVersion({ group, version }))}`
  return body === '{}' ? `{${head}}` : `{${head},${body.slice(1)}`
}

/**
 * Serializes an object and reuses the cached text of its field sets (`shareText`), which are nearly half of a stored pod. Returns undefined if no
 * set is shared, if metadata is not the first member, or if managedFields is not the last member of metadata.
 */
function stringifyAroundSharedSets(object: unknown): string | undefined {
  const metadata = (object as { readonly metadata?: { readonly managedFields?: unknown } | null } | null | undefined)?.metadata
  const entries = metadata?.managedFields as readonly (ManagedFieldsEntry | null)[] | undefined
  if (!Array.isArray(entries) || !entries.some(sharesSet)) return undefined
  if (findFirstMember(object as object) !== 'metadata' || findLastMember(metadata!) !== 'managedFields') return undefined
  const texts = entries.map(formatEntry)
  const before = openText({ ...metadata, managedFields: undefined })
  const rest = stringifyJson({ ...(object as object), metadata: undefined })
  const head = `{"metadata":${before}"managedFields":[${texts.join(',')}]}`
  return rest === '{}' ? `${head}}` : `${head},${rest.slice(1)}`
}

/** Returns the cached JSON of a value that `shareText` marked; undefined for other values. */
export function getSharedJson(value: unknown): string | undefined {
  return writeShared(value, stringifyJson)
}

function sharesSet(entry: ManagedFieldsEntry | null): boolean {
  return getSharedJson(entry?.fieldsV1) !== undefined
}

function formatEntry(entry: ManagedFieldsEntry | null): string {
  const set = getSharedJson(entry?.fieldsV1)
  if (set === undefined) return stringifyJson(entry)
  const { subresource } = entry!
  const before = openText({ ...entry, fieldsV1: undefined, subresource: undefined })
  return `${before}"fieldsV1":${set}${subresource === undefined ? '' : `,"subresource":${stringifyJson(subresource)}`}}`
}

/** Returns the JSON of an object without its closing brace, so that the caller can append a member. */
function openText(object: object): string {
  const text = stringifyJson(object)
  return text === '{}' ? '{' : `${text.slice(0, -1)},`
}

function findFirstMember(object: object): string | undefined {
  for (const name in object) return name
  return undefined
}

function findLastMember(object: object): string | undefined {
  let last: string | undefined
  for (const name in object) last = name
  return last
}

/**
 * Serializes a value with JSON.stringify. Uses the slower exact function for a value with an undecoded object, and if JSON.stringify throws: for a
 * `bigint`, and before Node 26 for thousands of nested levels.
 */
function stringifyNatively(value: unknown): string {
  try {
    const text = stringifyDecoded(value)
    return text === undefined ? stringifyExactly(value) : goEscapes(text)
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
  /** The items of a list. For an object, its names and values alternate. */
  readonly members: readonly unknown[]
  next: number
}

/** Serializes a value that JSON.stringify cannot serialize: one that contains a `bigint` or an undecoded object, or is nested very deeply. */
function stringifyExactly(root: unknown): string {
  const formatted: string[] = []
  const open: OpenValue[] = []
  const write = (value: unknown): void => {
    if (typeof value === 'bigint') formatted.push(String(value))
    else if (typeof value !== 'object' || value === null) formatted.push(stringifyNatively(value))
    else if (value instanceof UndecodedObject) formatted.push(value.text)
    else {
      const isList = Array.isArray(value)
      formatted.push(isList ? '[' : '{')
      open.push({ isList, members: isList ? value : listMemberValues(value), next: 0 })
    }
  }
  write(root)
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    if (last.next === last.members.length) {
      formatted.push(last.isList ? ']' : '}')
      open.pop()
      continue
    }
    if (last.next > 0) formatted.push(',')
    if (!last.isList) formatted.push(`${stringifyNatively(last.members[last.next++])}:`)
    write(last.members[last.next++])
  }
  return formatted.join('')
}

function listMemberValues(object: object): readonly unknown[] {
  return Object.entries(object).flatMap((member) => (member[1] === undefined ? [] : member))
}

const texts = new WeakMap<object, string | undefined>()

/** Marks an immutable value that many objects share, so that its JSON is cached and written only once. */
export function shareText(value: object): void {
  if (!texts.has(value)) texts.set(value, undefined)
}

/** Returns the cached text of a value that `shareText` marked; undefined for other values. */
function writeShared(value: unknown, write: (value: object) => string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const text = texts.get(value)
  if (text !== undefined || !texts.has(value)) return text
  const written = write(value)
  texts.set(value, written)
  return written
}
