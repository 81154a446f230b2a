import { compareUtf8, TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { prefixRange } from '@keelson/storagebackend'
import type { KeyRange, ObjectSnapshot, StoredObject } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'

/** A value with more keys is marked as frequent and its keys are dropped, because a walk of the state is then about as fast. */
const maxKeysPerValue = 1 << 14
/** The approximate maximum size of one index. */
const maxBytes = 8 << 20
const bytesPerKey = 8
const bytesPerValue = 100
/** An index that was not used for this time is dropped by the next change. */
const idleMilliseconds = 10 * 60_000

/**
 * The keys of the newest state by a value of their objects, in key order. The first use builds the index, in slices. Before that it costs nothing.
 *
 *   unused ──first use──▶ building (changes are queued) ──▶ live (follows every change) ──10 minutes without use──▶ unused
 *                                              └── too large ──┴──▶ given up
 *
 * From any state it becomes unused again when the state of the cache is replaced.
 */
export class ValueIndex<T extends KubeObject = KubeObject> {
  readonly #prefix: string
  readonly #valueOf: (object: StoredObject<T>) => string | undefined
  /** The keys by value. Undefined marks a frequent value. Incomplete while the index is built. */
  #keys: Map<string, string[] | undefined> | undefined
  /** The changes since the state from which the index is built. Only set while it is built. */
  #queued: CacheEvent<T>[] | undefined
  #bytes = 0
  #givenUp = false
  #lastUsed = 0

  /** `valueOf` returns the value of an object, always the same one, or undefined if it has none. */
  constructor(prefix: string, valueOf: (object: StoredObject<T>) => string | undefined) {
    this.#prefix = prefix
    this.#valueOf = valueOf
  }

  /** Returns the number of keys with one of the values, or undefined while it is unknown. `state` must be the newest. */
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

  /** Returns the keys in the range with one of the values, in order. Call it only after `count` returned a number. */
  keysIn({ start, end }: KeyRange, values: ReadonlySet<string>): string[] {
    const parts = Array.from(values, (value) => {
      const keys = this.#keys!.get(value) ?? []
      return keys.slice(indexOfKey(keys, start), end === undefined ? undefined : indexOfKey(keys, end))
    })
    return parts.length === 1 ? parts[0]! : parts.flat().sort(compareUtf8)
  }

  /** Applies a change of the newest state. */
  apply(event: CacheEvent<T>): void {
    if (this.#keys === undefined) return
    if (event.time - this.#lastUsed > idleMilliseconds) this.reset()
    else if (this.#queued !== undefined) this.#queued.push(event)
    else this.#move(event)
  }

  /** Drops the index after the state was replaced. */
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
      for (const object of state.scan(prefixRange(this.#prefix), { keep: false })) {
        const value = this.#valueOf(object)
        if (value !== undefined) this.#add(value, object.key)
        const pause = slice.pauseIfOver()
        if (pause) await pause
        if (this.#queued !== queued) return
      }
    } catch {
      // Unreadable objects cannot be indexed. The next use tries again.
      if (this.#queued === queued) this.reset()
      return
    }
    this.#queued = undefined
    for (const event of queued) this.#move(event)
  }

  #move({ key, object, previous }: CacheEvent<T>): void {
    const before = previous && this.#valueOf(previous)
    const now = object && this.#valueOf(object)
    if (before === now) return
    if (before !== undefined) this.#remove(before, key)
    if (now !== undefined) this.#add(now, key)
  }

  #add(value: string, key: string): void {
    const known = this.#keys
    if (known === undefined) return
    const keys = known.get(value)
    if (keys === undefined) {
      if (known.has(value)) return
      known.set(value, [key])
      this.#bytes += bytesPerValue
    } else if (keys.length === maxKeysPerValue) {
      known.set(value, undefined)
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

/** Returns the index of the first key that is not below `key`. */
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
