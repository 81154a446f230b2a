import { goJson } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import { isInteger } from './schema-node.ts'
import { equalsValue, sortKeys } from './value-checks.ts'

/** Maximum number of values that are compared one by one. An index of so few values would take more memory than it saves time. */
const maxCompared = 64
/** Number of values that one call of `indexMore` adds to the index. It takes about a millisecond. */
const indexedPerCall = 5000

/** The values of an enum. Many values have an index, so that finding one takes constant time. */
export class AllowedValues {
  readonly values: readonly JsonValue[]
  readonly #index: ValueIndex | undefined
  #texts: WeakRef<readonly string[]> | undefined
  #indexed = 0

  constructor(values: readonly JsonValue[]) {
    this.values = values
    if (values.length > maxCompared) this.#index = new ValueIndex()
  }

  get isIndexed(): boolean {
    return this.#index === undefined || this.#indexed === this.values.length
  }

  /** Adds some of the values to the index, so that a caller can pause between them. */
  indexMore(): void {
    const end = Math.min(this.values.length, this.#indexed + indexedPerCall)
    while (this.#indexed < end) this.#index?.add(this.values[this.#indexed++]!)
  }

  /** Returns whether a value is allowed. Numbers are converted to the type of the allowed value, as in kube-openapi. */
  has(value: JsonValue): boolean {
    if (value === null) return false
    if (this.#index !== undefined) {
      while (!this.isIndexed) this.indexMore()
      return this.#index.has(value)
    }
    const { values } = this
    for (let i = 0; i < values.length; i++) if (equalsAllowed(value, values[i]!)) return true
    return false
  }

  /** The values as messages print them. They are not kept, because few requests need them. */
  get texts(): readonly string[] {
    const knownNames = this.#texts?.deref()
    if (knownNames !== undefined) return knownNames
    const texts = this.values.map((item) => (typeof item === 'string' ? item : goJson(sortKeys(item))))
    this.#texts = new WeakRef(texts)
    return texts
  }
}

/** Finds values for which `equalsAllowed` is true. */
class ValueIndex {
  readonly #scalars = new Set<string | boolean | bigint>()
  /** Allowed integers, as floats. */
  readonly #integers = new Set<number>()
  /** Allowed numbers that are not of the type bigint. */
  readonly #numbers = new Set<number>()
  /** Lists and objects by their canonical JSON. */
  readonly #valuesByKey = new Map<string, JsonValue[]>()

  add(value: JsonValue): void {
    if (value === null) return
    if (typeof value === 'object') return this.#addOther(value)
    if (typeof value === 'number') this.#numbers.add(value)
    else this.#scalars.add(value)
    const scalar: unknown = value
    if (isInteger(scalar)) this.#integers.add(Number(scalar))
  }

  #addOther(value: JsonValue): void {
    const key = formatKey(value)
    const candidates = this.#valuesByKey.get(key)
    if (candidates === undefined) this.#valuesByKey.set(key, [value])
    else if (!candidates.some((knownJsonValue) => equalsValue(knownJsonValue, value))) candidates.push(value)
  }

  has(value: JsonValue): boolean {
    switch (typeof value) {
      case 'object':
        return this.#valuesByKey.get(formatKey(value))?.some((knownJsonValue) => equalsValue(value, knownJsonValue)) === true
      case 'number':
        if (this.#integers.has(Math.trunc(value)) || this.#numbers.has(value)) return true
        return isInteger(value) && this.#scalars.has(formatCharacter(value))
      case 'bigint':
        return this.#scalars.has(value) || this.#numbers.has(Number(value)) || this.#scalars.has(formatCharacter(value))
      default:
        return this.#scalars.has(value)
    }
  }
}

function formatKey(value: JsonValue): string {
  return goJson(sortKeys(value))
}

function equalsAllowed(value: JsonValue, allowed: JsonValue): boolean {
  if (value === null || allowed === null) return false
  if (typeof value === 'object') return typeof allowed === 'object' && equalsValue(value, allowed)
  if (typeof value === typeof allowed && typeof value !== 'number') return value === allowed
  if (typeof value !== 'number' && typeof value !== 'bigint') return false
  if (typeof allowed === 'string') return isInteger(value) && formatCharacter(value) === allowed
  if (typeof allowed !== 'number' && typeof allowed !== 'bigint') return false
  return equalsNumber(value, allowed)
}

/** Compares numbers. A float is compared without its fraction if the allowed value is an integer. */
function equalsNumber(value: number | bigint, allowed: number | bigint): boolean {
  if (typeof value === 'bigint' && typeof allowed === 'bigint') return value === allowed
  const compared = typeof value === 'number' && isInteger(allowed) ? Math.trunc(value) : value
  return Number(compared) === Number(allowed)
}

/** Returns the character whose code is an integer. Go compares it with allowed texts. */
function formatCharacter(code: number | bigint): string {
  const isValid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isValid ? String.fromCodePoint(Number(code)) : '\ufffd'
}
