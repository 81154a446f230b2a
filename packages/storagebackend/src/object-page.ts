import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { Entry, Revision } from './backend.ts'
import { encodeContinue } from './continue-token.ts'
import type { ObjectList, StoredObject } from './storage.ts'

export interface ObjectPageOptions<T extends KubeObject> {
  /** Undefined: it is not on the list. May have to wait. */
  readonly open: (entry: Entry) => StoredObject<T> | undefined | Promise<StoredObject<T> | undefined>
  /** 0 is none. */
  readonly limit: number
  /** Not all objects are on the list. */
  readonly filtered: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * The objects of one list, or of one page of it, opened and looked at in slices that let others run: what walks the finished list
 * cannot pause.
 */
export class ObjectPage<T extends KubeObject> {
  readonly #options: ObjectPageOptions<T>
  readonly #limit: number
  readonly #items: StoredObject<T>[] = []
  readonly #slice = new TimeSlice()
  #looked = 0
  #lastKey = ''

  constructor(options: ObjectPageOptions<T>) {
    this.#options = options
    this.#limit = options.limit === 0 ? Infinity : options.limit
  }

  get full(): boolean {
    return this.#items.length >= this.#limit
  }

  /** How many entries were looked at. */
  get looked(): number {
    return this.#looked
  }

  get length(): number {
    return this.#items.length
  }

  /** Takes what comes, by key, until it is full. False: there is more than it took. */
  async fill(entries: Iterable<Entry>): Promise<boolean> {
    const { open, signal } = this.#options
    for (const entry of entries) {
      if (this.full) return false
      this.#lastKey = entry.key
      this.#looked++
      const opened = open(entry)
      const object = opened instanceof Promise ? await opened : opened
      if (object) this.#items.push(object)
      const pause = this.#slice.pauseIfOver()
      if (!pause) continue
      signal?.throwIfAborted()
      await pause
    }
    return true
  }

  /** There is nothing after it. */
  last(revision: Revision): ObjectList<T> {
    return { revision, continue: '', remainingItemCount: undefined, items: this.#items }
  }

  /** There is more. `count` is that of the whole range from where this page began. */
  continued(prefix: string, revision: Revision, count: number): ObjectList<T> {
    return {
      revision,
      continue: encodeContinue(`${this.#lastKey}\0`, prefix, revision),
      // Objects that a selector would not let through are not told apart here, so only a list of everything knows.
      remainingItemCount: this.#options.filtered ? undefined : count - this.#limit,
      items: this.#items,
    }
  }
}
