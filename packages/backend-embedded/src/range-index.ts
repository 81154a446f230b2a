import { compareUtf8, hasUtf16Order } from '@keelson/apimachinery'
import type { KeyRange } from '@keelson/storagebackend'

interface Ranged {
  readonly range: KeyRange
}

/**
 * Finds all ranges that contain a key, with one binary search. The bounds of all ranges divide the keys into segments. Each segment has a
 * list of the ranges that cover it.
 *
 *     a:   [-----------)
 *     b:         [----------------)
 *     segments:  |a    |a b  |b   |
 */
export class RangeIndex<R extends Ranged> {
  readonly #members = new Set<R>()
  /** The ranges that contain a single key are kept in a map, so that a watch of one object adds no segment. */
  #keys = new Map<string, R[]>()
  #bounds: string[] = []
  #segments: R[][] = []
  #stale = false

  get size(): number {
    return this.#members.size
  }

  add(member: R): void {
    this.#members.add(member)
    this.#stale = true
  }

  delete(member: R): void {
    if (!this.#members.delete(member)) return
    this.#stale = true
    // Releases the member now. The segments are built again for the next key, which may come much later.
    this.#segments = []
    this.#keys = new Map()
  }

  all(): Iterable<R> {
    return this.#members
  }

  forEach(key: string, call: (member: R) => void): void {
    if (this.#members.size === 0) return
    if (this.#stale) this.#build()
    if (this.#keys.size > 0) for (const member of this.#keys.get(key) ?? []) call(member)
    // Keys share long prefixes. JavaScript's `<` skips them faster than `compareUtf8`, and gives the same order for this key.
    const narrow = hasUtf16Order(key)
    let low = 0
    let high = this.#bounds.length
    while (low < high) {
      const mid = (low + high) >> 1
      if (narrow ? this.#bounds[mid]! <= key : compareUtf8(this.#bounds[mid]!, key) <= 0) low = mid + 1
      else high = mid
    }
    if (low > 0) for (const member of this.#segments[low - 1]!) call(member)
  }

  #build(): void {
    this.#stale = false
    this.#keys = new Map()
    const bounds = new Set<string>()
    for (const member of this.#members) {
      const { start, end } = member.range
      if (end === undefined) {
        const sharing = this.#keys.get(start)
        if (sharing) sharing.push(member)
        else this.#keys.set(start, [member])
      } else {
        bounds.add(start).add(end)
      }
    }
    this.#bounds = [...bounds].sort(compareUtf8)
    const position = new Map(this.#bounds.map((bound, i) => [bound, i]))
    this.#segments = this.#bounds.map(() => [])
    for (const member of this.#members) {
      const { start, end } = member.range
      if (end === undefined) continue
      const to = position.get(end)!
      for (let i = position.get(start)!; i < to; i++) this.#segments[i]!.push(member)
    }
  }
}
