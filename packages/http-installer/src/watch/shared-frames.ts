/**
 * Frames of events by form, so that all watches of a form write the same bytes. Watches that keep up come for them at about the same time, so only the
 * newest are kept; who comes later makes his own.
 */
export class SharedFrames {
  readonly #budget: number
  readonly #kept = new Map<object, Map<string, Kept>>()
  #bytes = 0

  constructor(budget: number) {
    this.#budget = budget
  }

  /** The bytes of several events that are always looked at together, in this form. */
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

/** Watches with other selectors see other events before the last. */
function sameEvents(a: readonly object[], b: readonly object[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
