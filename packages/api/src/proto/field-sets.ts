import type { JsonValue } from '@keelson/apimachinery'
import { parseJsonBytes } from './field-values.ts'

/** Longer sets are rarely shared between objects. */
const maxTextLength = 16_384

/**
 * A cache of parsed sets of managed fields (`fieldsV1`) by their JSON text. A manager leaves the same set in many objects, and parsing it takes a
 * third of the time to decode a pod. The sets are shared and must not be modified.
 */
export class FieldSets {
  readonly #limit: number
  #recent = new Map<string, JsonValue>()
  #older = new Map<string, JsonValue>()
  #length = 0

  /** `limit` is in characters. At most twice as many are kept. */
  constructor(limit: number = 512 * 1024) {
    this.#limit = limit
  }

  parse(text: string): JsonValue {
    const known = this.#recent.get(text)
    if (known !== undefined) return known
    const set = this.#older.get(text) ?? parseJsonBytes(text)
    if (text.length <= maxTextLength) this.#keep(text, set)
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
