import { LinkedList } from '@keelson/apimachinery'
import type { AuditEvent } from '../events/audit-event.ts'

export interface EventGateOptions {
  /** Returns whether the backend has no room for another event. */
  readonly isFull: () => boolean
  /** Encodes and stores an event. */
  readonly take: (event: AuditEvent) => Promise<boolean>
}

interface WaitingEvent {
  readonly event: AuditEvent
  readonly finish: (stored: Promise<boolean>) => void
}

/**
 * Lets events wait until a backend has room, in modes in which their requests wait for them anyway. They wait in order and without being
 * encoded, so that they only keep what their requests keep.
 */
export class EventGate {
  readonly #options: EventGateOptions
  readonly #waiting = new LinkedList<WaitingEvent>()

  constructor(options: EventGateOptions) {
    this.#options = options
  }

  /** Returns a promise that resolves when the event is stored, with false if it could not be. */
  pass(event: AuditEvent): Promise<boolean> {
    if (this.#waiting.first === undefined && !this.#options.isFull()) return this.#options.take(event)
    return new Promise((finish) => this.#waiting.add({ event, finish }))
  }

  /** Takes the waiting events for which there is room. */
  resume(): void {
    const { isFull, take } = this.#options
    for (let { first } = this.#waiting; first !== undefined && !isFull(); { first } = this.#waiting) {
      this.#waiting.remove(first)
      first.value.finish(take(first.value.event))
    }
  }
}
