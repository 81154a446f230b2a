import type { Revision } from '@keelson/storagebackend'

/** An event that a ring can keep. */
export interface RingEvent {
  readonly revision: Revision
  readonly time: number
}

export interface EventRingOptions {
  readonly minimum?: number
  readonly maximum?: number
  /**
   * The age, in milliseconds, that decides whether a full ring grows. If the oldest event is younger, the ring grows. Otherwise the ring
   * drops that event.
   */
  readonly freshFor?: number
  readonly onResize?: ((from: number, to: number) => void) | undefined
}

/**
 * The newest events in revision order, in a ring buffer. Positions increase with every event, also after a `reset`, so a position from
 * before is recognized as dropped. The ring doubles its size when it is full of recent events, and halves it when its newest quarter is
 * old.
 *
 *   dropped   │ start ............ end │ next event
 *             └ base: revision of the newest dropped event; the ring has everything after it
 */
export class EventRing<E extends RingEvent> {
  readonly #minimum: number
  readonly #maximum: number
  readonly #freshFor: number
  readonly #onResize: EventRingOptions['onResize']
  #slots: (E | undefined)[]
  #start = 0
  #end = 0
  #base: Revision = 0

  constructor(options: EventRingOptions = {}) {
    this.#minimum = options.minimum ?? 100
    this.#maximum = options.maximum ?? 102_400
    this.#freshFor = options.freshFor ?? 75_000
    this.#onResize = options.onResize
    this.#slots = createEmptySlots(this.#minimum)
  }

  get start(): number {
    return this.#start
  }
  get end(): number {
    return this.#end
  }
  /** The oldest revision from which a watch can start. */
  get base(): Revision {
    return this.#base
  }
  get capacity(): number {
    return this.#slots.length
  }

  /** Drops all events. The history of the ring then starts after `revision`. Positions continue to increase. */
  reset(revision: Revision): void {
    this.#start = this.#end
    if (this.#slots.length > this.#minimum) this.#onResize?.(this.#slots.length, this.#minimum)
    this.#slots = createEmptySlots(this.#minimum)
    this.#base = revision
  }

  add(event: E): void {
    this.#resize(event.time)
    const capacity = this.#slots.length
    if (this.#end - this.#start === capacity) this.#forgetOldest()
    this.#slots[this.#end % capacity] = event
    this.#end++
  }

  /** Returns the event at a position. Returns undefined if the event was dropped or does not exist yet. */
  at(position: number): E | undefined {
    return position >= this.#start && position < this.#end ? this.#slots[position % this.#slots.length] : undefined
  }

  /** Returns the position of the first event after `revision`. Returns undefined if such an event was dropped. */
  positionAfter(revision: Revision): number | undefined {
    if (revision < this.#base) return undefined
    let low = this.#start
    let high = this.#end
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.at(middle)!.revision <= revision) low = middle + 1
      else high = middle
    }
    return low
  }

  #forgetOldest(): void {
    const slot = this.#start % this.#slots.length
    this.#base = this.#slots[slot]!.revision
    this.#slots[slot] = undefined
    this.#start++
  }

  #resize(now: number): void {
    const capacity = this.#slots.length
    if (this.#end - this.#start < capacity) return
    if (now - this.at(this.#start)!.time < this.#freshFor) this.#moveTo(Math.min(capacity * 2, this.#maximum))
    else if (now - this.at(this.#end - Math.floor(capacity / 4))!.time > this.#freshFor) {
      this.#moveTo(Math.max(Math.floor(capacity / 2), this.#minimum))
    }
  }

  #moveTo(capacity: number): void {
    if (capacity === this.#slots.length) return
    while (this.#end - this.#start > capacity) this.#forgetOldest()
    const slots = createEmptySlots<E>(capacity)
    for (let i = this.#start; i < this.#end; i++) slots[i % capacity] = this.at(i)
    this.#onResize?.(this.#slots.length, capacity)
    this.#slots = slots
  }
}

function createEmptySlots<E>(length: number): (E | undefined)[] {
  const slots: (E | undefined)[] = []
  slots.length = length
  return slots
}
