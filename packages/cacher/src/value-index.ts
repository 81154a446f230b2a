import { compareUtf8, TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { prefixRange } from '@keelson/storagebackend'
import type { KeyRange, ObjectSnapshot, StoredObject } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'

/** Of a value that more keys have, it is only known that they are many: going through everything takes hardly longer then. */
const mostKeys = 1 << 14
/** About what the keys and values of one index may take. */
const mostBytes = 8 << 20
const bytesPerKey = 8
const bytesPerValue = 100
/** ms without a question after which the next change lets the index go. */
const idle = 10 * 60_000

/**
 * The keys of the newest state, in order, by one value that objects have. Made when it is first asked for, in slices that let others run;
 * until then, and for those who never ask, it costs nothing.
 *
 *   unused ──first question──▶ being made (changes are put aside) ──▶ live (follows every change) ──not asked for long──▶ unused
 *                                                   └── too large ──┴──▶ given up
 *
 * When the state is replaced it is unused again, whatever it was.
 */
export class ValueIndex<T extends KubeObject = KubeObject> {
  readonly #prefix: string
  readonly #valueOf: (object: StoredObject<T>) => string | undefined
  /** While it is being made, those that were come by. Undefined keys stand for too many. */
  #keys: Map<string, string[] | undefined> | undefined
  /** While it is being made, what happened since the state that it is made of. */
  #aside: CacheEvent<T>[] | undefined
  #bytes = 0
  #givenUp = false
  #asked = 0

  /** `valueOf`: undefined for objects that have none. Of the same object it always says the same. */
  constructor(prefix: string, valueOf: (object: StoredObject<T>) => string | undefined) {
    this.#prefix = prefix
    this.#valueOf = valueOf
  }

  /** How many keys have one of the values; undefined while that is not known. `state` is the newest. */
  count(values: ReadonlySet<string>, state: ObjectSnapshot<T>, now: number): number | undefined {
    this.#asked = now
    if (this.#keys === undefined && !this.#givenUp) void this.#make(state)
    if (this.#keys === undefined || this.#aside !== undefined) return undefined
    let count = 0
    for (const value of values) {
      const keys = this.#keys.get(value)
      if (keys === undefined && this.#keys.has(value)) return undefined
      count += keys?.length ?? 0
    }
    return count
  }

  /** The keys in the range that have one of the values, in order. Only after `count` has told how many there are. */
  keysIn({ start, end }: KeyRange, values: ReadonlySet<string>): string[] {
    const parts = Array.from(values, (value) => {
      const keys = this.#keys!.get(value) ?? []
      return keys.slice(placeOf(keys, start), end === undefined ? undefined : placeOf(keys, end))
    })
    return parts.length === 1 ? parts[0]! : parts.flat().sort(compareUtf8)
  }

  /** A change of the newest state. */
  apply(event: CacheEvent<T>): void {
    if (this.#keys === undefined) return
    if (event.time - this.#asked > idle) this.reset()
    else if (this.#aside !== undefined) this.#aside.push(event)
    else this.#move(event)
  }

  /** The state is another one. */
  reset(): void {
    this.#keys = this.#aside = undefined
    this.#bytes = 0
    this.#givenUp = false
  }

  async #make(state: ObjectSnapshot<T>): Promise<void> {
    this.#keys = new Map()
    const aside = (this.#aside = [] as CacheEvent<T>[])
    const slice = new TimeSlice()
    try {
      for (const object of state.scan(prefixRange(this.#prefix), { keep: false })) {
        const value = this.#valueOf(object)
        if (value !== undefined) this.#add(value, object.key)
        const pause = slice.pauseIfOver()
        if (pause) await pause
        if (this.#aside !== aside) return
      }
    } catch {
      // Of what cannot be read there is no index; the next question tries again.
      if (this.#aside === aside) this.reset()
      return
    }
    this.#aside = undefined
    for (const event of aside) this.#move(event)
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
    } else if (keys.length === mostKeys) {
      known.set(value, undefined)
      this.#bytes -= keys.length * bytesPerKey
    } else {
      const last = keys.at(-1)!
      if (compareUtf8(last, key) < 0) keys.push(key)
      else keys.splice(placeOf(keys, key), 0, key)
      this.#bytes += bytesPerKey
    }
    if (this.#bytes <= mostBytes) return
    this.reset()
    this.#givenUp = true
  }

  #remove(value: string, key: string): void {
    const keys = this.#keys?.get(value)
    const place = keys && placeOf(keys, key)
    if (place === undefined || keys![place] !== key) return
    if (keys!.length === 1) {
      this.#keys!.delete(value)
      this.#bytes -= bytesPerValue
    } else {
      keys!.splice(place, 1)
      this.#bytes -= bytesPerKey
    }
  }
}

/** The index of the first key that is not below `key`. */
function placeOf(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareUtf8(keys[middle]!, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}
