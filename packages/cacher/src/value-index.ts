import { compareUtf8, TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { createPrefixRange } from '@keelson/storagebackend'
import type { KeyRange, ObjectSnapshot, StoredObject } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'

/**
 * The maximum number of keys for one value. A value with more keys is marked as frequent and its keys are dropped, because testing all
 * objects is then about as fast.
 */
const maxKeysPerValue = 1 << 14
/** The approximate maximum size of one index, in bytes. */
const maxBytes = 8 << 20
const bytesPerKey = 8
const bytesPerValue = 100
/** The time without use after which an index is dropped by the next change, in milliseconds. */
const idleMilliseconds = 10 * 60_000

/**
 * Finds the keys of objects in the newest state by a value of the objects, for example a label. The keys are kept in UTF-8 order. The first
 * use builds the index in slices. Before that, the index uses no memory and no time.
 *
 *   unused ──first use──▶ building (changes are queued) ──▶ live (follows every change) ──10 minutes without use──▶ unused
 *                                              └── too large ──┴──▶ given up
 *
 * From any state it becomes unused again when the state of the cache is replaced.
 */
export class ValueIndex<T extends KubeObject = KubeObject> {
  readonly #prefix: string
  readonly #getValue: (object: StoredObject<T>) => string | undefined
  /** The keys of each value. Undefined marks a frequent value. While the index is being built, the map is incomplete. */
  #keys: Map<string, string[] | undefined> | undefined
  /** The changes since the state from which the index is being built. Set only while it is being built. */
  #queued: CacheEvent<T>[] | undefined
  #bytes = 0
  #givenUp = false
  #lastUsed = 0

  /**
   * Creates an unused index. `getValue` returns the value of an object, or undefined if the object has none. It must always return the same
   * result for an object.
   */
  constructor(prefix: string, getValue: (object: StoredObject<T>) => string | undefined) {
    this.#prefix = prefix
    this.#getValue = getValue
  }

  /**
   * Returns the number of keys with one of the values. Returns undefined if the index is not built or a value is frequent. `state` must be
   * the newest state.
   */
  count(values: ReadonlySet<string>, state: ObjectSnapshot<T>, now: number): number | undefined {
    this.#lastUsed = now
    if (this.#keys === undefined && !this.#givenUp) void this.#build(state)
    if (this.#keys === undefined || this.#queued !== undefined) return undefined
    let count = 0
    for (const value of values) {
      const keys = this.#keys.get(value)
      if (keys === undefined && this.#keys.has(value)) return undefined
      count += keys?.length ?? 0
    }
    return count
  }

  /** Returns the keys in the range with one of the values, in UTF-8 order. Call it only after `count` has returned a number. */
  keysIn({ start, end }: KeyRange, values: ReadonlySet<string>): string[] {
    const keyLists = Array.from(values, (value) => {
      const keys = this.#keys!.get(value) ?? []
      return keys.slice(indexOfKey(keys, start), end === undefined ? undefined : indexOfKey(keys, end))
    })
    return keyLists.length === 1 ? keyLists[0]! : keyLists.flat().sort(compareUtf8)
  }

  /** Applies a change of the newest state to the index. */
  apply(event: CacheEvent<T>): void {
    if (this.#keys === undefined) return
    if (event.time - this.#lastUsed > idleMilliseconds) this.reset()
    else if (this.#queued !== undefined) this.#queued.push(event)
    else this.#move(event)
  }

  /** Drops the contents of the index. Called after the state was replaced. */
  reset(): void {
    this.#keys = this.#queued = undefined
    this.#bytes = 0
    this.#givenUp = false
  }

  async #build(state: ObjectSnapshot<T>): Promise<void> {
    this.#keys = new Map()
    const queued = (this.#queued = [] as CacheEvent<T>[])
    const slice = new TimeSlice()
    try {
      for (const object of state.scan(createPrefixRange(this.#prefix), { keep: false })) {
        const value = this.#getValue(object)
        if (value !== undefined) this.#add(value, object.key)
        const pause = slice.pauseIfOver()
        if (pause) await pause
        if (this.#queued !== queued) return
      }
    } catch {
      // Unreadable objects cannot be indexed, so building fails. The next use of the index tries again.
      if (this.#queued === queued) this.reset()
      return
    }
    this.#queued = undefined
    for (const event of queued) this.#move(event)
  }

  #move({ key, object, previous }: CacheEvent<T>): void {
    const oldValue = previous && this.#getValue(previous)
    const now = object && this.#getValue(object)
    if (oldValue === now) return
    if (oldValue !== undefined) this.#remove(oldValue, key)
    if (now !== undefined) this.#add(now, key)
  }

  #add(value: string, key: string): void {
    const keysOfValues = this.#keys
    if (keysOfValues === undefined) return
    const keys = keysOfValues.get(value)
    if (keys === undefined) {
      if (keysOfValues.has(value)) return
      keysOfValues.set(value, [key])
      this.#bytes += bytesPerValue
    } else if (keys.length === maxKeysPerValue) {
      keysOfValues.set(value, undefined)
      this.#bytes -= keys.length * bytesPerKey
    } else {
      const last = keys.at(-1)!
      if (compareUtf8(last, key) < 0) keys.push(key)
      else keys.splice(indexOfKey(keys, key), 0, key)
      this.#bytes += bytesPerKey
    }
    if (this.#bytes <= maxBytes) return
    this.reset()
    this.#givenUp = true
  }

  #remove(value: string, key: string): void {
    const keys = this.#keys?.get(value)
    const at = keys && indexOfKey(keys, key)
    if (at === undefined || keys![at] !== key) return
    if (keys!.length === 1) {
      this.#keys!.delete(value)
      this.#bytes -= bytesPerValue
    } else {
      keys!.splice(at, 1)
      this.#bytes -= bytesPerKey
    }
  }
}

/** Returns the index of the first key that is `key` or greater. */
function indexOfKey(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareUtf8(keys[middle]!, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}
