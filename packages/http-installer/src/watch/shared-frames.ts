/**
 * Shares frames of events between watches of the same encoding. Watches that keep up need a frame at about the same time, so only the newest frames are
 * kept; a watch that is behind makes its own.
 */
export class SharedFrames {
  readonly #budget: number
  readonly #kept = new Map<object, Map<string, Kept>>()
  #bytes = 0

  constructor(budget: number) {
    this.#budget = budget
  }

  /** The frame of events that always travel together, in this encoding. */
  get(events: readonly object[], form: string, make: () => Buffer): Buffer {
    const last = events.at(-1)!
    const forms = this.#kept.get(last)
    const known = forms?.get(form)
    if (known !== undefined && sameEvents(known.events, events)) return known.bytes
    const bytes = make()
    if (known !== undefined || bytes.length > this.#budget) return bytes
    const kept = { events, bytes }
    if (forms === undefined) this.#kept.set(last, new Map([[form, kept]]))
    else forms.set(form, kept)
    this.#bytes += bytes.length
    this.#forget(last)
    return bytes
  }

  #forget(newest: object): void {
    for (const [event, forms] of this.#kept) {
      if (this.#bytes <= this.#budget || event === newest) return
      for (const { bytes } of forms.values()) this.#bytes -= bytes.length
      this.#kept.delete(event)
    }
  }
}

interface Kept {
  readonly events: readonly object[]
  readonly bytes: Buffer
}

/** Compares all events, because watches with other selectors may see other events before the last. */
function sameEvents(a: readonly object[], b: readonly object[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
