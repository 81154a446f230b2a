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
 *
 * Adding a range splits two segments at most, so thousands of ranges can be added one by one. Lists are replaced and never changed, because
 * `forEach` may be iterating over one of them.
 */
export class RangeIndex<R extends Ranged> {
  readonly #members = new Set<R>()
  /** The ranges that contain a single key are kept in a map, so that a watch of one object adds no segment. */
  readonly #keys = new Map<string, readonly R[]>()
  /** First keys of the segments, in order. Bounds of deleted ranges stay until there are too many. */
  #bounds: string[] = []
  #segments: (readonly R[])[] = []
  /** Number of ranges with more than one key. */
  #wide = 0

  get size(): number {
    return this.#members.size
  }

  add(member: R): void {
    if (this.#members.has(member)) return
    this.#members.add(member)
    const { start, end } = member.range
    if (end === undefined) {
      this.#keys.set(start, [...(this.#keys.get(start) ?? []), member])
      return
    }
    this.#wide++
    this.#cover(member, start, end)
  }

  delete(member: R): void {
    if (!this.#members.delete(member)) return
    const { start, end } = member.range
    if (end === undefined) {
      const otherMembers = this.#keys.get(start)!.filter((other) => other !== member)
      if (otherMembers.length > 0) this.#keys.set(start, otherMembers)
      else this.#keys.delete(start)
      return
    }
    this.#wide--
    const to = this.#countSegments(end) - 1
    for (let i = this.#countSegments(start) - 1; i < to; i++) this.#segments[i] = this.#segments[i]!.filter((other) => other !== member)
    if (this.#bounds.length > 4 * this.#wide + minBounds) this.#rebuild()
  }

  all(): Iterable<R> {
    return this.#members
  }

  forEach(key: string, call: (member: R) => void): void {
    if (this.#members.size === 0) return
    if (this.#keys.size > 0) for (const member of this.#keys.get(key) ?? noMembers) call(member)
    const segment = this.#countSegments(key)
    if (segment > 0) for (const member of this.#segments[segment - 1]!) call(member)
  }

  /** Returns the number of segments that begin at the key or before. */
  #countSegments(key: string): number {
    // Keys share long prefixes. JavaScript's `<` skips them faster than `compareUtf8`, and gives the same order for this key.
    const narrow = hasUtf16Order(key)
    let low = 0
    let high = this.#bounds.length
    while (low < high) {
      const mid = (low + high) >> 1
      if (narrow ? this.#bounds[mid]! <= key : compareUtf8(this.#bounds[mid]!, key) <= 0) low = mid + 1
      else high = mid
    }
    return low
  }

  #cover(member: R, start: string, end: string): void {
    const from = this.#split(start)
    const to = this.#split(end)
    for (let i = from; i < to; i++) this.#segments[i] = [...this.#segments[i]!, member]
  }

  /** Makes a segment begin at the key. Returns its index. */
  #split(key: string): number {
    const after = this.#countSegments(key)
    if (after > 0 && this.#bounds[after - 1] === key) return after - 1
    this.#bounds.splice(after, 0, key)
    this.#segments.splice(after, 0, after === 0 ? noMembers : this.#segments[after - 1]!)
    return after
  }

  /** Drops the bounds of deleted ranges. */
  #rebuild(): void {
    this.#bounds = []
    this.#segments = []
    for (const member of this.#members) {
      const { start, end } = member.range
      if (end !== undefined) this.#cover(member, start, end)
    }
  }
}

const noMembers: readonly never[] = []
/** Number of bounds up to which bounds of deleted ranges stay in any case. */
const minBounds = 64
