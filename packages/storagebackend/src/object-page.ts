import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { Entry, Revision } from './backend.ts'
import { encodeContinue } from './continue-token.ts'
import type { ObjectList, StoredObject } from './storage.ts'

export interface ObjectPageOptions<T extends KubeObject> {
  /** Decodes an entry, or returns undefined if the object does not match the selector. Returns a promise only if it has to wait. */
  readonly open: (entry: Entry) => StoredObject<T> | undefined | Promise<StoredObject<T> | undefined>
  /** The page size, or 0 for no limit. */
  readonly limit: number
  /** Whether the list has a selector, which may reject objects. */
  readonly filtered: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Collects the objects of one page of a list. It decodes and matches objects in slices, because iterating over the finished list cannot
 * pause.
 */
export class ObjectPage<T extends KubeObject> {
  readonly #options: ObjectPageOptions<T>
  readonly #limit: number
  readonly #items: StoredObject<T>[] = []
  readonly #slice = new TimeSlice()
  #examined = 0
  #lastKey = ''

  constructor(options: ObjectPageOptions<T>) {
    this.#options = options
    this.#limit = options.limit === 0 ? Infinity : options.limit
  }

  get full(): boolean {
    return this.#items.length >= this.#limit
  }

  /** The number of entries that were read and tested. */
  get examined(): number {
    return this.#examined
  }

  get length(): number {
    return this.#items.length
  }

  /** Adds entries in key order until the page is full. Resolves to false if some entries did not fit. */
  async fill(entries: Iterable<Entry>): Promise<boolean> {
    const { open, signal } = this.#options
    for (const entry of entries) {
      if (this.full) return false
      this.#lastKey = entry.key
      this.#examined++
      const openedObject = open(entry)
      const object = openedObject instanceof Promise ? await openedObject : openedObject
      if (object) this.#items.push(object)
      const pause = this.#slice.pauseIfOver()
      if (!pause) continue
      signal?.throwIfAborted()
      await pause
    }
    return true
  }

  /** Returns the list for the last page. */
  last(revision: Revision): ObjectList<T> {
    return { revision, continue: '', remainingItemCount: undefined, items: this.#items }
  }

  /**
   * Returns the list for a page that is followed by another page. `count` is the number of entries from the start of this page to the end
   * of the list.
   */
  continued(prefix: string, revision: Revision, count: number): ObjectList<T> {
    return {
      revision,
      continue: encodeContinue(`${this.#lastKey}\0`, prefix, revision),
      // Unknown with a selector, because `count` includes objects that do not match the selector.
      remainingItemCount: this.#options.filtered ? undefined : count - this.#limit,
      items: this.#items,
    }
  }
}
