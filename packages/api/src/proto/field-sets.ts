import type { JsonValue } from '@keelson/apimachinery'
import { parseJsonBytes } from './json-bytes.ts'

/** A longer set is seldom somebody else's too. */
const longest = 16_384

/**
 * Sets of managed fields (`fieldsV1`), parsed, by their text. A manager leaves the same set in one object after the other, and they take a
 * third of the time that it takes to read a pod. Who reads with this shares the sets with all who do: they are not to be changed.
 */
export class FieldSets {
  readonly #limit: number
  #recent = new Map<string, JsonValue>()
  #older = new Map<string, JsonValue>()
  #length = 0

  /** `limit` is in characters; twice as many are kept at the most. */
  constructor(limit: number = 512 * 1024) {
    this.#limit = limit
  }

  parse(text: string): JsonValue {
    const known = this.#recent.get(text)
    if (known !== undefined) return known
    const set = this.#older.get(text) ?? parseJsonBytes(text)
    if (text.length <= longest) this.#keep(text, set)
    return set
  }

  #keep(text: string, set: JsonValue): void {
    if (this.#length + text.length > this.#limit) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#length = 0
    }
    this.#recent.set(text, set)
    this.#length += text.length
  }
}
