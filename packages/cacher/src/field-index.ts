import type { KubeObject } from '@keelson/apimachinery'
import { compareKeys, prefixRange, TimeSlices } from '@keelson/storagebackend'
import type { ObjectSnapshot } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'

/**
 * The keys of the newest state, by the value that one field has. Made when it is first asked for, in slices that let others run; until
 * then, and for those who never ask, it costs nothing.
 *
 *   unused ──first question──▶ being made (changes are put aside) ──▶ live (follows every change) ──state replaced──▶ unused
 */
export class FieldIndex<T extends KubeObject = KubeObject> {
  readonly field: string
  readonly #prefix: string
  #keys: Map<string, Set<string>> | undefined
  /** What happened since the state that it is being made of. */
  #aside: CacheEvent<T>[] | undefined

  constructor(field: string, prefix: string) {
    this.field = field
    this.#prefix = prefix
  }

  /** In order; undefined while it is not known. `state` is the newest. */
  keysWith(value: string, state: ObjectSnapshot<T>): string[] | undefined {
    if (this.#keys === undefined) {
      if (this.#aside === undefined) void this.#make(state, (this.#aside = []))
      return undefined
    }
    return Array.from(this.#keys.get(value) ?? []).sort(compareKeys)
  }

  /** A change of the newest state. */
  apply(event: CacheEvent<T>): void {
    if (this.#keys !== undefined) this.#move(this.#keys, event)
    else this.#aside?.push(event)
  }

  /** The state is another one. */
  reset(): void {
    this.#keys = this.#aside = undefined
  }

  async #make(state: ObjectSnapshot<T>, aside: CacheEvent<T>[]): Promise<void> {
    const keys = new Map<string, Set<string>>()
    const slices = new TimeSlices()
    try {
      for (const object of state.scan(prefixRange(this.#prefix), { keep: false })) {
        add(keys, object.field(this.field), object.key)
        const pause = slices.due()
        if (pause) await pause
        if (this.#aside !== aside) return
      }
    } catch {
      // Of what cannot be read there is no index; the next question tries again.
      if (this.#aside === aside) this.reset()
      return
    }
    for (const event of aside) this.#move(keys, event)
    this.#keys = keys
    this.#aside = undefined
  }

  #move(keys: Map<string, Set<string>>, { key, object, previous }: CacheEvent<T>): void {
    const before = previous?.field(this.field)
    const now = object?.field(this.field)
    if (before === now) return
    if (before !== undefined) {
      const sharing = keys.get(before)
      if (sharing?.delete(key) === true && sharing.size === 0) keys.delete(before)
    }
    if (now !== undefined) add(keys, now, key)
  }
}

function add(keys: Map<string, Set<string>>, value: string, key: string): void {
  const sharing = keys.get(value)
  if (sharing === undefined) keys.set(value, new Set([key]))
  else sharing.add(key)
}
