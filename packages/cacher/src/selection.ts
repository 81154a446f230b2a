import type { KubeObject } from '@keelson/apimachinery'
import { keyRange, matcher, prefixRange } from '@keelson/storagebackend'
import type { ObjectSnapshot, Predicate, StoredObject } from '@keelson/storagebackend'

/** The objects that one watcher sees: those under a prefix (or at one key) that its selectors match. */
export class Selection<T extends KubeObject = KubeObject> {
  readonly key: string
  readonly recursive: boolean
  readonly #predicate: Predicate | undefined
  readonly #matches: ((object: StoredObject) => boolean) | undefined

  constructor(key: string, recursive: boolean, predicate: Predicate | undefined) {
    this.key = key
    this.recursive = recursive
    this.#predicate = predicate
    this.#matches = matcher(predicate)
  }

  /** Its objects in a state. Undefined stands for an object that the selectors do not match. */
  selectFrom(state: ObjectSnapshot<T>): Iterator<StoredObject<T> | undefined> {
    const range = this.recursive ? prefixRange(this.key) : keyRange(this.key)
    return this.#predicate === undefined ? state.scan(range) : state.select(range, this.#predicate)
  }

  matches(object: StoredObject<T>): boolean {
    if (this.recursive ? !object.key.startsWith(this.key) : object.key !== this.key) return false
    return this.#matches === undefined || this.#matches(object)
  }

  /** The value that the field selector requires of a field, if any. */
  requires(field: string): string | undefined {
    return this.#predicate?.fields.requiresExactMatch(field)
  }

  /** The same, but only if the selection requires nothing else of the objects under `prefix`. */
  requiresOnly(field: string, prefix: string): string | undefined {
    const all = this.recursive && this.key === prefix
    const alone = this.#predicate?.labels.empty === true && this.#predicate.fields.requirements.length === 1
    return all && alone ? this.requires(field) : undefined
  }
}
