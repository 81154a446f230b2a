import { quote } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import { Flag, has, getMemberNode } from './schema-node.ts'
import type { JsonMembers, SchemaNode } from './schema-node.ts'
import { countMembers, equalsValue } from './value-checks.ts'

/**
 * A value of an update and the old value in the same place. Problems of unchanged values are forgiven (CRDValidationRatcheting). Items of a list
 * have an old value only if the list is of type map.
 */
export class CorrelatedValue {
  readonly #node: SchemaNode
  readonly #value: JsonValue
  readonly #old: JsonValue
  #oldItems: OldItems | undefined
  #isUnchanged: boolean | undefined

  constructor(node: SchemaNode, value: JsonValue, old: JsonValue) {
    this.#node = node
    this.#value = value
    this.#old = old
  }

  get isUnchanged(): boolean {
    return (this.#isUnchanged ??= isUnchanged(this.#node, this.#value, this.#old))
  }

  /** Returns a member with its old value; undefined if the old object does not have it. */
  key(key: string): CorrelatedValue | undefined {
    if (!isMembers(this.#value) || !isMembers(this.#old)) return undefined
    const node = getMemberNode(this.#node, key)
    if (node === undefined || !Object.hasOwn(this.#old, key)) return undefined
    return new CorrelatedValue(node, this.#value[key]!, this.#old[key]!)
  }

  /** Returns an item with the old item that has the same keys; undefined if there is none. */
  index(index: number): CorrelatedValue | undefined {
    const { items } = this.#node
    if (!Array.isArray(this.#value) || !Array.isArray(this.#old) || items === undefined || !has(this.#node, Flag.isMapList))
      return undefined
    this.#oldItems ??= new OldItems(this.#node, this.#old)
    const value = this.#value[index]!
    const old = this.#oldItems.get(value)
    return old === undefined ? undefined : new CorrelatedValue(items, value, old)
  }
}

function isMembers(value: JsonValue): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The items of an old list by their keys. The first of several items with the same keys counts. */
class OldItems {
  readonly #keys: readonly string[]
  readonly #items = new Map<unknown, JsonMembers>()

  constructor(node: SchemaNode, items: readonly JsonValue[]) {
    this.#keys = node.listMapKeys ?? []
    for (const item of items) {
      const key = this.#getKey(item)
      if (key !== undefined && !this.#items.has(key)) this.#items.set(key, item as JsonMembers)
    }
  }

  get(item: JsonValue): JsonMembers | undefined {
    const key = this.#getKey(item)
    return key === undefined ? undefined : this.#items.get(key)
  }

  /** Returns the keys of an item as one value; undefined if a key is missing or not a scalar. */
  #getKey(item: JsonValue): unknown {
    if (!isMembers(item) || this.#keys.length === 0) return undefined
    let text = ''
    for (const name of this.#keys) {
      const value = Object.hasOwn(item, name) ? item[name] : undefined
      if (value === undefined || typeof value === 'object') return undefined
      if (this.#keys.length === 1) return value
      text += `\0${typeof value === 'string' ? quote(value) : String(value)}`
    }
    return text
  }
}

/** Returns whether an update leaves a value as it is. Objects with fields that the schema does not specify count as changed, as upstream. */
function isUnchanged(node: SchemaNode, value: JsonValue, old: JsonValue): boolean {
  if (typeof value !== 'object' || typeof old !== 'object' || value === null || old === null) return value === old
  if (Array.isArray(value)) return Array.isArray(old) && areItemsUnchanged(node, value, old)
  if (Array.isArray(old)) return false
  for (const key in value) {
    const member = getMemberNode(node, key)
    if (member === undefined || !Object.hasOwn(old, key) || !isUnchanged(member, value[key]!, old[key]!)) return false
  }
  return countMembers(value) === countMembers(old)
}

function areItemsUnchanged(node: SchemaNode, value: readonly JsonValue[], old: readonly JsonValue[]): boolean {
  if (value.length !== old.length) return false
  if (!has(node, Flag.isMapList)) return value.every((item, i) => equalsValue(item, old[i]))
  const { items } = node
  const oldItems = new OldItems(node, old)
  return value.every((item) => {
    const oldItem = oldItems.get(item)
    return oldItem !== undefined && items !== undefined && isUnchanged(items, item, oldItem)
  })
}
