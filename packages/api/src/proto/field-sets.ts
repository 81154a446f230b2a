import type { JsonValue } from '@keelson/apimachinery'
import { parseJsonBytes } from './field-values.ts'

/** Maximum length of cached sets. Longer sets are rarely shared between objects. */
const maxTextLength = 16_384

/**
 * A cache of parsed `fieldsV1` of managed fields by their JSON text. A manager writes the same text to many objects. Without the cache, parsing
 * it would take a third of the time to decode a pod. Objects share the parsed values, so they must not be modified.
 */
export class FieldSets {
  readonly #limit: number
  #recent = new Map<string, JsonValue>()
  #older = new Map<string, JsonValue>()
  #length = 0

  /** Creates a cache. `limit` is the total length of recently used texts in characters. The cache contains at most twice as much. */
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
