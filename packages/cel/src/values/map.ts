import { Duration } from './duration.ts'
import { Timestamp } from './timestamp.ts'
import { adapt, BoxedValue, Double, EvaluationPanic, isJsonRecord, toInt, Uint } from './value.ts'
import type { JsonRecord, Value } from './value.ts'

/** Base class of maps that are not plain objects. */
export abstract class CelMap extends BoxedValue {
  abstract readonly size: number

  /** Returns the value of a key; undefined if the key is absent. */
  abstract find(key: Value): Value | undefined
  abstract keys(): Iterable<Value>
}

/** A map with keys of any type, usually scalars. */
export class EntryMap extends CelMap {
  readonly #entries = new Map<unknown, readonly [key: Value, value: Value]>()

  get size(): number {
    return this.#entries.size
  }

  find(key: Value): Value | undefined {
    return this.#entries.size === 0 ? undefined : this.#entries.get(lookupKey(key))?.[1]
  }

  *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key
  }

  /** Adds or replaces an entry. May only be called while the map is being built. */
  set(key: Value, value: Value): void {
    this.#entries.set(lookupKey(key), [key, value])
  }

  delete(key: Value): void {
    this.#entries.delete(lookupKey(key))
  }
}

/** Converts a value to a key of a JavaScript map. Equal numbers of different types have the same key. */
function lookupKey(key: Value): unknown {
  if (key instanceof Uint) return toInt(key.value)
  if (key instanceof Double) return normalizeDoubleKey(key)
  if (key instanceof Uint8Array) throw new EvaluationPanic('runtime error: hash of unhashable type types.Bytes')
  if (key instanceof Timestamp || key instanceof Duration) return `${key.constructor.name} ${key.toString()}`
  return typeof key === 'string' ? `"${key}` : key
}

function normalizeDoubleKey(key: Double): unknown {
  const { value } = key
  if (Number.isSafeInteger(value)) return value + 0
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64) return toInt(BigInt(value))
  return Number.isNaN(value) ? key : `d${value}`
}

export type MapValue = CelMap | JsonRecord

export function isMap(value: unknown): value is MapValue {
  return isJsonRecord(value) || value instanceof CelMap
}

/** Returns the value of a key; undefined if the key is absent. A field with the value undefined counts as absent. */
export function findInMap(map: MapValue, key: Value): Value | undefined {
  if (map instanceof CelMap) return map.find(key)
  return typeof key === 'string' ? getField(map, key) : undefined
}

export function getField(map: JsonRecord, name: string): Value | undefined {
  const raw = map[name]
  return raw === undefined || !Object.hasOwn(map, name) ? undefined : adapt(raw)
}

export function mapSize(map: MapValue): number {
  if (map instanceof CelMap) return map.size
  let count = 0
  for (const name in map) if (Object.hasOwn(map, name) && map[name] !== undefined) count++
  return count
}

export function listKeys(map: MapValue): readonly Value[] {
  return map instanceof CelMap ? [...map.keys()] : Object.keys(map).filter((name) => map[name] !== undefined)
}
