import { equalsJson, isJsonObject } from '@keelson/apimachinery'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import type { SchemaType } from '@keelson/cel'

/**
 * Finds the old element of a map list (`x-kubernetes-list-type: map`) that has the same keys as a new one. The first of several old
 * elements with the same keys counts. Old elements are indexed only as far as needed, because most lists keep their order.
 */
export class OldElements {
  readonly #old: readonly JsonValue[]
  readonly #keys: readonly string[]
  readonly #elements = new Map<unknown, JsonObject>()
  #next = 0

  constructor(old: readonly JsonValue[], keys: readonly string[]) {
    this.#old = old
    this.#keys = keys
  }

  find(element: JsonValue): JsonObject | undefined {
    const identity = isJsonObject(element) ? findIdentity(element, this.#keys) : undefined
    if (identity === undefined) return undefined
    while (!this.#elements.has(identity) && this.#next < this.#old.length) this.#index(this.#old[this.#next++]!)
    return this.#elements.get(identity)
  }

  #index(element: JsonValue): void {
    const identity = isJsonObject(element) ? findIdentity(element, this.#keys) : undefined
    if (identity !== undefined && !this.#elements.has(identity)) this.#elements.set(identity, element as JsonObject)
  }
}

/** Returns a value that elements with the same keys share; undefined if a key is missing or not a scalar. */
function findIdentity(element: JsonObject, keys: readonly string[]): unknown {
  const values: JsonValue[] = []
  for (const key of keys) {
    const value = Object.hasOwn(element, key) ? element[key] : undefined
    if (value === undefined || value === null || typeof value === 'object') return undefined
    values.push(value)
  }
  return values.length === 1 ? values[0] : JSON.stringify(values)
}

/**
 * Returns whether a value is the same as its old one, so that rules about it need not hold. Members without a schema count as changed. The
 * order of the elements of map lists does not matter.
 */
export function isUnchanged(value: JsonValue, old: JsonValue, type: SchemaType): boolean {
  if (typeof value !== 'object' || value === null || typeof old !== 'object' || old === null) return value === old
  if (Array.isArray(value)) return Array.isArray(old) && value.length === old.length && isListUnchanged(value, old, type)
  if (Array.isArray(old)) return false
  const names = Object.keys(value)
  if (names.length !== Object.keys(old).length) return false
  return names.every((name) => {
    const member = type.kind === 'map' ? type.element : type.impliedFields?.includes(name) === true ? undefined : type.fields?.get(name)
    return member !== undefined && Object.hasOwn(old, name) && isUnchanged(value[name]!, old[name]!, member)
  })
}

function isListUnchanged(value: readonly JsonValue[], old: readonly JsonValue[], { kind, element, listKeys = [] }: SchemaType): boolean {
  if (kind !== 'mapList') return value.every((item, i) => equalsJson(item, old[i]!))
  const oldElements = new OldElements(old, listKeys)
  return value.every((item) => {
    const oldElement = oldElements.find(item)
    return oldElement !== undefined && element !== undefined && isUnchanged(item, oldElement, element)
  })
}
