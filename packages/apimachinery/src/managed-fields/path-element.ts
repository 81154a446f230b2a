import { quote, stringifyJson } from '../go-text.ts'
import type { JsonValue } from '../meta.ts'
import { compareUtf8 } from '../utf8-order.ts'
import { formatFloat } from '../yaml/format-float.ts'

/**
 * One step of a field path, spelled as in `fieldsV1`: `f:NAME` is a field or a map key, `k:{…}` a list item identified by key fields, `v:VALUE`
 * an item of a set, `i:INDEX` an item identified by its position. Equal steps have equal text, because keys are sorted and values are formatted
 * like in Go.
 */
export type PathElement = string

export function createFieldElement(name: string): PathElement {
  return `f:${name}`
}

/** Builds the path element of a list item from its key fields, which must be sorted by name. */
export function createKeyElement(fields: readonly (readonly [name: string, value: JsonValue])[]): PathElement {
  if (fields.length === 1) return `k:{${formatScalar(fields[0]![0])}:${formatScalar(fields[0]![1])}}`
  const members = fields.map(([name, value]) => `${formatScalar(name)}:${formatScalar(value)}`)
  return `k:{${members.join(',')}}`
}

export function createValueElement(value: JsonValue): PathElement {
  return `v:${formatScalar(value)}`
}

const escaped = /[^ !#-%'-;=?-[\]-~]/

function formatScalar(value: JsonValue): string {
  if (typeof value === 'string' && !escaped.test(value)) return `"${value}"`
  if (typeof value === 'number' && Number.isSafeInteger(value) && value !== 0) return String(value)
  return typeof value === 'object' ? stringifyJson(sortMembers(value)) : stringifyJson(value)
}

export type ParsedElement =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'key'; readonly fields: readonly (readonly [name: string, value: JsonValue])[] }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'index'; readonly index: number }

const parsed = new Map<string, ParsedElement>()
const maxParsed = 4096
/** Maximum length of cached elements. Longer elements are rare and not worth the memory. */
const maxParsedLength = 256

/** Parses a path element. Returns undefined for an element of an unknown type, which kube-apiserver ignores. Throws TypeError if it is invalid. */
export function parseElement(text: PathElement): ParsedElement | undefined {
  let element = parsed.get(text)
  if (element === undefined) {
    element = parseUncached(text)
    if (element === undefined || text.length > maxParsedLength) return element
    if (parsed.size >= maxParsed) parsed.clear()
    parsed.set(text, element)
  }
  return element
}

function parseUncached(text: string): ParsedElement | undefined {
  if (text.length < 2) throw new TypeError('key must be 2 characters long:')
  if (text[1] !== ':') throw new TypeError(`missing colon: ${text}`)
  const content = text.slice(2)
  switch (text[0]) {
    case 'f':
      return { kind: 'field', name: content }
    case 'v':
      return { kind: 'value', value: JSON.parse(content) as JsonValue }
    case 'k': {
      const value = JSON.parse(content) as JsonValue
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`invalid key fields: ${text}`)
      return { kind: 'key', fields: Object.entries(value).sort(([a], [b]) => compareUtf8(a, b)) }
    }
    case 'i': {
      if (!/^[-+]?[0-9]+$/.test(content)) throw new TypeError(`invalid index: ${text}`)
      return { kind: 'index', index: Number(content) }
    }
    default:
      return undefined
  }
}

/**
 * Normalizes the spelling of a path element from a client. Returns undefined for an element of an unknown type, which must be ignored. Throws
 * TypeError if it is invalid.
 */
export function normalizeElement(text: string): PathElement | undefined {
  if (text.startsWith('f:')) return text
  const element = parseElement(text)
  switch (element?.kind) {
    case 'key':
      return createKeyElement(element.fields)
    case 'value':
      return createValueElement(element.value)
    case 'index':
      return `i:${element.index}`
    default:
      return element && text
  }
}

const ranks: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 }

/** Compares two path elements of one level by their order in `fieldsV1`. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0
  const rank = ranks[a[0]!]! - ranks[b[0]!]!
  if (rank !== 0) return rank
  return a.startsWith('f') ? compareUtf8(a, b) : compareParsed(parseElement(a), parseElement(b))
}

function compareParsed(left: ParsedElement | undefined, right: ParsedElement | undefined): number {
  if (left?.kind === 'key' && right?.kind === 'key') return compareKeys(left.fields, right.fields)
  if (left?.kind === 'value' && right?.kind === 'value') return compareValues(left.value, right.value)
  return left?.kind === 'index' && right?.kind === 'index' ? left.index - right.index : 0
}

/** Sorts path elements by their order in `fieldsV1`. Parses each element only once. */
export function sortElements(elements: readonly PathElement[]): readonly PathElement[] {
  if (elements.length < 2) return elements
  const decorated = elements.map(decorate)
  decorated.sort((a, b) => {
    if (a.rank !== b.rank) return a.rank - b.rank
    return a.key === b.key && a.key !== undefined ? compareUtf8(a.text, b.text) : compareParsed(a.parsed, b.parsed)
  })
  return decorated.map(({ element }) => element)
}

interface DecoratedElement {
  readonly element: PathElement
  readonly rank: number
  /** Sort key of the element. Elements with equal keys are sorted by `text`. */
  readonly key: string | undefined
  readonly text: string
  readonly parsed: ParsedElement | undefined
}

function decorate(element: PathElement): DecoratedElement {
  const rank = ranks[element[0]!]!
  if (rank === 0) return { element, rank, key: '', text: element, parsed: undefined }
  const parsed = parseElement(element)
  if (parsed?.kind === 'key' && parsed.fields.length === 1) {
    const [key, value] = parsed.fields[0]!
    if (typeof value === 'string') return { element, rank, key, text: value, parsed }
  }
  return { element, rank, key: undefined, text: '', parsed }
}

type KeyFields = readonly (readonly [name: string, value: JsonValue])[]

function compareKeys(a: KeyFields, b: KeyFields): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareUtf8(a[i]![0], b[i]![0]) || compareValues(a[i]![1], b[i]![1])
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Formats a path element for messages: `.spec`, `[name="c"]`, `[="x"]`, `[0]`. */
export function formatElement(text: PathElement): string {
  const element = parseElement(text)
  switch (element?.kind) {
    case 'field':
      return `.${element.name}`
    case 'key':
      return `[${element.fields.map(([name, value]) => `${name}=${showValue(value)}`).join(',')}]`
    case 'value':
      return `[=${showValue(element.value)}]`
    case 'index':
      return `[${element.index}]`
    default:
      return text
  }
}

export function formatPath(path: readonly PathElement[]): string {
  return path.map(formatElement).join('')
}

function showValue(value: JsonValue): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : formatFloat(value)
  if (Array.isArray(value)) return `[${value.map(showValue).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    return Object.keys(value)
      .map((key) => `${key}=${showValue(value[key]!)}`)
      .join('')
  }
  return String(value)
}

/** Compares JSON values of any type. The order of types is: numbers, strings, booleans, lists, maps, null. */
function compareValues(a: JsonValue, b: JsonValue): number {
  const rank = rankType(a) - rankType(b)
  if (rank !== 0) return rank
  if (typeof a === 'string') return compareUtf8(a, b as string)
  if (Array.isArray(a)) return compareLists(a, b as JsonValue[])
  if (typeof a === 'object' && a !== null) return compareMaps(a, b as { [key: string]: JsonValue })
  return a === b ? 0 : a! < b! ? -1 : 1
}

function rankType(value: JsonValue): number {
  if (value === null) return 5
  if (Array.isArray(value)) return 3
  switch (typeof value) {
    case 'string':
      return 1
    case 'boolean':
      return 2
    case 'object':
      return 4
    default:
      return 0
  }
}

function compareLists(a: readonly JsonValue[], b: readonly JsonValue[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i]!, b[i]!)
    if (order !== 0) return order
  }
  return a.length - b.length
}

function compareMaps(a: { readonly [key: string]: JsonValue }, b: { readonly [key: string]: JsonValue }): number {
  const left = Object.keys(a).sort(compareUtf8)
  const right = Object.keys(b).sort(compareUtf8)
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = compareUtf8(left[i]!, right[i]!) || compareValues(a[left[i]!]!, b[right[i]!]!)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** Returns whether two values are equal. An absent member and a null member are different. Numbers may be `bigint`. */
export function equalsValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'bigint' || typeof b === 'bigint')
    return typeof a === typeof b ? a === b : typeof a !== 'string' && typeof b !== 'string' && a == b
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!equalsValue(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  const left = a as { readonly [key: string]: unknown }
  const right = b as { readonly [key: string]: unknown }
  let count = 0
  for (const key in left) {
    if (left[key] === undefined) continue
    if (!Object.hasOwn(right, key) || !equalsValue(left[key], right[key])) return false
    count++
  }
  for (const key in right) if (right[key] !== undefined) count--
  return count === 0
}

/** Sorts the members of all maps in a value by name, like Go's JSON encoder. */
export function sortMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort(compareUtf8)
      .map((key) => [key, sortMembers(value[key]!)]),
  )
}
