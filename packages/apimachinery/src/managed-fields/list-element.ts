import { quote } from '../go-text.ts'
import { isJsonObject } from '../json-value.ts'
import type { JsonValue } from '../meta.ts'
import { compareUtf8 } from '../utf8-order.ts'
import { GoValue } from './go-value.ts'
import type { MergeList } from './merge-type.ts'
import { createKeyElement, sortElements, createValueElement } from './path-element.ts'
import type { PathElement } from './path-element.ts'
import { TypedError } from './merge-type.ts'

/** Returns the path element that identifies an item in a list that is not atomic. Throws `TypedError` if the item cannot be identified. */
export function listElement(type: MergeList, item: JsonValue): PathElement {
  return type.relationship === 'keyed' ? createKeyedElement(type, item) : setElement(item)
}

function createKeyedElement(type: MergeList, item: JsonValue): PathElement {
  if (item === null) throw createTypedError('associative list with keys may not have a null element')
  if (typeof item !== 'object' || Array.isArray(item) || item instanceof GoValue)
    throw createTypedError('associative list with keys may not have non-map elements')
  const fields: [string, JsonValue][] = []
  for (const key of type.keys) {
    const value = item[key.name] ?? (item[key.name] === null ? null : key.default)
    if (value !== undefined) fields.push([key.name, value])
  }
  if (fields.length === 0) {
    const names = type.keys.map(({ name }) => quote(name)).join(' ')
    const why = "(and doesn't have default values for any key fields)"
    throw createTypedError(`associative list with keys has an element that omits all key fields [${names}] ${why}`)
  }
  return createKeyElement(fields)
}

function setElement(item: JsonValue): PathElement {
  if (item === null) throw createTypedError("associative list without keys has an element that's an explicit null")
  if (Array.isArray(item)) throw createTypedError('not supported: associative list with lists as elements')
  if (typeof item === 'object') throw createTypedError("associative list without keys has an element that's a map type")
  return createValueElement(item)
}

function createTypedError(message: string): TypedError {
  return new TypedError([{ path: [], message }])
}

export interface IndexedItems {
  readonly order: readonly PathElement[]
  /** The items by path element. Duplicate items share one path element. */
  readonly items: ReadonlyMap<PathElement, readonly JsonValue[]>
}

export function indexItems(type: MergeList, list: readonly JsonValue[]): IndexedItems {
  const items = new Map<PathElement, JsonValue[]>()
  for (const item of list) {
    const element = listElement(type, item)
    const existing = items.get(element)
    if (existing === undefined) items.set(element, [item])
    else existing.push(item)
  }
  return { order: [...items.keys()], items }
}

export interface ListItem {
  readonly element: PathElement
  readonly item: JsonValue
}

/** Returns the items of a list sorted by path element; undefined if the list has duplicates. */
export function sortItems(type: MergeList, list: readonly JsonValue[]): readonly ListItem[] | undefined {
  const named = listNamedItems(type, list)
  if (named !== undefined) return named
  const { order, items } = indexItems(type, list)
  if (order.length < list.length) return undefined
  return sortElements(order).map((element) => ({ element, item: items.get(element)![0]! }))
}

/** Returns the same as `sortItems`, but faster. Only for lists whose items are identified by one string; returns undefined for other lists. */
function listNamedItems(type: MergeList, list: readonly JsonValue[]): readonly ListItem[] | undefined {
  if (type.relationship !== 'keyed' || type.keys.length !== 1) return undefined
  const key = type.keys[0]!.name
  const named: (ListItem & { readonly name: string })[] = []
  let sorted = true
  for (const item of list) {
    const name = isJsonObject(item) ? item[key] : undefined
    if (typeof name !== 'string') return undefined
    if (named.length > 0 && compareUtf8(named.at(-1)!.name, name) >= 0) sorted = false
    named.push({ name, element: createKeyElement([[key, name]]), item })
  }
  if (sorted) return named
  named.sort((a, b) => compareUtf8(a.name, b.name))
  return named.some(({ name }, i) => i > 0 && name === named[i - 1]!.name) ? undefined : named
}
